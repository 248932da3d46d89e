import { fireEvent, screen, waitFor, within } from "@testing-library/preact";
import { expect, test, vi } from "vitest";
import type { Compare, Overview, Tenant } from "../src/api";
import { aDecision, aJob, anIncident, anOverview, aPresent, aTenant, run } from "./builders";
import { openedAt, Silent } from "./opened";

const worth = { text: "+11 points of utility by 2 decisions", decisions: 2, span_s: 120, gain: 0.11, off: 0.04, slot_h_saved: 0, untold: 0, misled: 0, waits: 0, each: [] };

function present(tenants: Tenant[]): NonNullable<Overview["present"]> {
  return aPresent({ tenants });
}

function opened(hash: string, more: Partial<Overview> = {}, answers: Record<string, unknown> = {}) {
  const overview = anOverview({ present: present([aTenant(), aTenant({ name: "geo", state: "fine", met: true })]), ...more });
  const runs = [run, { ...run, id: "fair-1", policy: "fair" }];
  return openedAt(hash, { "/api/overview": overview, "/api/runs": runs, "/api/worth": worth, "/api/policies": [{ name: "ds2", about: "" }], ...answers });
}

test("the card of who misses its target has what binds, the remedy, and the proposal that waits for its yes", async () => {
  const proposals = [{ number: 3, at_s: 40, text: "ads: weight 2 -> 5", why: "ads misses its latency", jobs: ["ads"], answer: "open", who: null }];
  const control = { ...anOverview().control, proposals };
  const server = opened("#/overview", { control, present: present([aTenant({ binds: [{ what: "it has all 2 slots that it may have", helps: "a higher max_slots" }] })]) }, { "/api/control": {} });
  const card = within(await screen.findByTestId("trouble"));
  expect(card.getByTestId("binds").textContent).toBe("It has all 2 slots that it may have. What would help: a higher max_slots.");
  await card.findByText(/12 slots instead of 8/);
  fireEvent.click(card.getByRole("button", { name: "Approve" }));
  await waitFor(() => expect(server.sent.at(-1)!.body).toMatchObject({ act: "approve", proposal: 3 }));
});

test("what decisions brought is asked for once the page is there, and summed up in what happened", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const server = opened("#/overview", { decisions: [aDecision()] });
  await screen.findByTestId("headline");
  expect(server.sent.some((one) => one.path.startsWith("/api/worth"))).toBe(false);
  await vi.advanceTimersByTimeAsync(2500);
  expect((await screen.findByTestId("worth")).textContent).toBe("+11 points of utility by 2 decisions.");
  vi.useRealTimers();
});

test("who starts neither has its utility nor misses it, in what all had and in what it cost alike", async () => {
  const starting = aTenant({ name: "geo", state: "starting", utility: null, met: false });
  const fine = { ...present([aTenant({ state: "fine", met: true, utility: 35 }), starting]), utility: 35, known_utility: 35, max_utility: 70, met: 1, judged: 1, starting: 1 };
  const totals = { at_s: [0, 40], values: { utility: [35, 35], max_utility: [70, 70], possible_utility: [35, 35] } };
  opened("#/overview", { present: fine, totals });
  const story = (await screen.findByTestId("story")).textContent;
  expect(story).toContain("100 % of the utility that they could have; 1 is starting and counts once it has figures.");
  expect(story).toContain("0 of 35 utility was missing on average");
  expect(screen.getByTestId("met").parentElement!.textContent).toBe("1 of 1, 1 starting");
  expect(screen.getByTestId("utility").parentElement!.textContent).toBe("35 of 35");
});

test("of whom nothing is asked is in no trouble, and an error budget says what is left of it", async () => {
  const budget = { text: "budget of 99% of 5m windows over 28d", keep: 0.99, windows_s: 300, over_s: 2419200, allowed: 80.64, good: 500, bad: 60, unknown: 3, left: 0.256, burns: [{ over_s: 3600, rate: 25 }], urgency: 1.75 };
  const tenants = [aTenant({ state: "fine", met: true, budget }), aTenant({ name: "geo", state: "resting", intent: "nothing now (outside its hours)", met: false })];
  const seen = { ...present(tenants), met: 1, judged: 1, resting: 1, state: "fine" as const };
  opened("#/overview", { present: seen });
  await screen.findByTestId("headline");
  expect(screen.queryByTestId("trouble")).toBeNull();
  expect(screen.getByTestId("met").parentElement!.textContent).toBe("1 of 1, 1 resting");
  location.hash = "#/tenant?job=ads";
  expect((await screen.findByTestId("budget")).textContent).toBe("26 %");
});

test("of forty tenants fifteen are shown, all on request, and any by its name in the address", async () => {
  const tenants = Array.from({ length: 40 }, (_, number) => aTenant({ name: `tenant-${String(number).padStart(2, "0")}`, state: "fine", met: true }));
  opened("#/overview", { present: present(tenants) });
  const rows = (): number => document.querySelectorAll("table.tenants tbody tr").length;
  await screen.findByTestId("headline");
  expect(rows()).toBe(15);
  fireEvent.click(screen.getByRole("button", { name: "Show 25 more tenants" }));
  expect(rows()).toBe(40);
  fireEvent.input(screen.getByRole("searchbox", { name: "Find tenants by name" }), { target: { value: "tenant-1" } });
  await waitFor(() => expect(rows()).toBe(10));
  expect(location.hash).toBe("#/overview?find=tenant-1");
});

test("the question of a what-if comes from its address, and is asked as it stands", async () => {
  const asked = { minutes: 3, slots: 64, rates: { ads: 2 }, intents: { ads: [{ latency: 4 }] }, turns: [{ kind: "bound", job: "geo", operator: "*", value: 500 }], max_slots: { ads: 6 } };
  const server = opened(`#/what-if?run=last&ask=${encodeURIComponent(JSON.stringify(asked))}`);
  const also = await screen.findByRole("list", { name: "Also changed" });
  expect(also.textContent).toContain("geo: bound 500");
  expect(screen.getByLabelText<HTMLInputElement>("latency of ads").value).toBe("4");
  fireEvent.click(within(also).getAllByRole("button", { name: "leave it" })[1]!);
  fireEvent.click(screen.getByTestId("ask"));
  await waitFor(() => expect(server.sent.some((one) => one.path.startsWith("/api/what-if"))).toBe(true));
  expect(server.sent.find((one) => one.path.startsWith("/api/what-if"))!.body).toMatchObject({
    minutes: 3, slots: 64, rates: { ads: 2 }, turns: asked.turns, max_slots: {}, intents: { ads: [{ latency: 4, percentile: 95, utility: 35 }] },
  });
});

test("the time shown is in the address, and keys change it", async () => {
  opened("#/overview?span=900");
  await screen.findByTestId("headline");
  expect(screen.getByRole("button", { name: "15 min" }).getAttribute("aria-pressed")).toBe("true");
  fireEvent.keyDown(document.body, { key: "]" });
  await waitFor(() => expect(location.hash).toBe("#/overview?span=3600"));
  fireEvent.keyDown(document.body, { key: "?" });
  const sheet = await screen.findByRole("dialog", { name: "Keys" });
  expect(sheet.textContent).toContain("Copy the link");
  fireEvent.keyDown(screen.getByPlaceholderText("your name, for the log"), { key: "5" });
  expect(location.hash).toBe("#/overview?span=3600"); // who types a name means the letter
});

test("without an address nothing is compared with itself: it says what to choose", async () => {
  const server = opened("#/compare");
  await waitFor(() => expect(screen.getByRole("list", { name: "What to do" }).textContent).toBe("Under A: one other is recorded here."));
  expect(screen.getByTestId("headline").textContent).toBe("Choose the run that demo is to be compared with.");
  expect(server.sent.some((one) => one.path.startsWith("/api/compare"))).toBe(false);
});

test("two runs are compared by their address", async () => {
  const side = { run, length_s: 60, utility_share: 0.72, met_share: 0.9, decisions: 3, helped: 2, series: { at_s: [0, 10], values: { share: [0.7, 0.74] } } };
  const told: Compare = {
    a: { ...side, run: { ...run, id: "fair-1", policy: "fair" }, utility_share: 0.61 }, b: side,
    jobs: [{ name: "ads", asks_a: "p95 latency <= 2s", asks_b: "p95 latency <= 2s", utility_a: 0.4, utility_b: 0.9, met_a: 0.4, met_b: 0.9 }],
    sentences: ["+11 points of utility: demo under penstock gave 72 %"],
  };
  const server = opened("#/compare?a=fair-1&b=demo-1", {}, { "/api/compare": told });
  expect((await screen.findByTestId("compared")).textContent).toBe("+11 points of utility: demo under penstock gave 72 %.");
  expect(server.sent.some((one) => one.path === "/api/compare?a=fair-1&b=demo-1")).toBe(true);
  fireEvent.click(screen.getByRole("button", { name: "Turn round" }));
  expect(location.hash).toContain("a=demo-1&b=fair-1");
});

test("the demo's three runs stand side by side, with the third between the two", async () => {
  const side = (id: string, share: number) => ({ run: { ...run, id, policy: id }, length_s: 40, utility_share: share, met_share: share, decisions: 0, helped: 0, series: { at_s: [0, 10], values: { share: [share, share] } } });
  const compare = (a: string, b: string, share: number): Compare => ({
    a: side(a, share), b: side(b, 0.9), sentences: [`${a} and ${b}`],
    jobs: [{ name: "ads", asks_a: "p95 latency <= 2s", asks_b: "p95 latency <= 2s", utility_a: share, utility_b: 0.9, met_a: share, met_b: 0.9 }],
  });
  opened("#/compare?a=fifo&b=ours&c=fair", {}, { "/api/compare?a=fifo": compare("fifo", "ours", 0.2), "/api/compare?a=fair": compare("fair", "ours", 0.4) });
  await screen.findByText("utility, C");
  const row = within(screen.getByRole("table")).getByRole("row", { name: /ads/ });
  expect([...row.querySelectorAll("td.n")].map((cell) => cell.textContent)).toEqual(["20 %", "90 %", "40 %", "20 %", "90 %", "40 %"]);
  fireEvent.change(screen.getByLabelText("C"), { target: { value: "" } });
  await waitFor(() => expect(location.hash).not.toContain("c="));
  await waitFor(() => expect(screen.queryByText("utility, C")).toBeNull());
});

test("an incident is told in chapters, with when each thing happened, and can be printed", async () => {
  const printed = vi.fn();
  vi.stubGlobal("print", printed);
  const server = opened("#/incident?job=ads&from=10&to=70", {}, { "/api/incident": anIncident() });
  expect((await screen.findByTestId("missed")).textContent).toBe("30 s");
  expect(screen.getByText("ads asked for p95 latency ≤ 2s and missed it for 30 s.")).toBeTruthy();
  expect(screen.getByText("decision 1: ads: weight 2 → 5")).toBeTruthy();
  expect(server.sent.some((one) => one.path === "/api/incident?run=demo-1&job=ads&since=10&until=70")).toBe(true);
  fireEvent.click(screen.getByRole("button", { name: "Print" }));
  expect(printed).toHaveBeenCalled();
});

test("a key leads from what is shown to its incident report, and the sheet of keys says so", async () => {
  opened("#/tenant?job=geo&from=10&to=70", { run: { ...run, last_s: 400 } }, { "/api/job": aJob() });
  await screen.findByRole("heading", { name: /geo/ });
  fireEvent.keyDown(document.body, { key: "?" });
  expect((await screen.findByRole("dialog", { name: "Keys" })).textContent).toContain("Incident report");
  fireEvent.keyDown(document.body, { key: "i" });
  expect(location.hash).toBe("#/incident?run=demo-1&job=geo&from=10&to=70");
});

test("an unknown page and a server that cannot be read are said, with no figures of anything else", async () => {
  opened("#/nothing");
  await screen.findByText("There is no page “nothing”.");
  expect(screen.queryByTestId("headline")).toBeNull();
});

test("a clock that is ahead takes the colours from the page until the next sign of life proves that its controller lives", async () => {
  const heard: Record<string, (event: { data: string }) => void> = {};
  const { control } = anOverview();
  const fine = { ...present([aTenant({ state: "fine", met: true })]), state: "fine" as const, headline: "All have what they asked for." };
  opened("#/overview", { present: fine, control: { ...control, live: false, life: "ahead", said: "The clock is 1 h ahead." } });
  class Speaking extends Silent {
    addEventListener(name?: string, listener?: (event: { data: string }) => void): void {
      heard[name!] = listener!;
    }
  }
  vi.stubGlobal("EventSource", Speaking);
  const headline = (await screen.findByTestId("headline")).closest("section")!;
  await waitFor(() => expect(heard.news).toBeDefined());
  expect(headline.className).toBe("headline gone");
  expect(screen.getByText("clock ahead")).toBeTruthy();
  expect(screen.getByRole("alert").textContent).toContain("The clock is 1 h ahead.");
  await waitFor(() => expect(document.title).toMatch(/^. clock ahead/));
  heard.news!({ data: JSON.stringify({ control: { ...control, said: "set both" }, present: null, decisions: [] }) });
  await waitFor(() => expect(headline.className).toBe("headline good"));
  expect(document.querySelector(".last-sign")!.textContent).toBe("set both");
});

test("a store that cannot be read takes the colours from the page until there are news again", async () => {
  const heard: Record<string, (event: { data: string }) => void> = {};
  opened("#/overview", { present: { ...present([aTenant({ state: "fine", met: true })]), state: "fine", headline: "All have what they asked for." } });
  class Speaking extends Silent {
    addEventListener(name?: string, listener?: (event: { data: string }) => void): void {
      heard[name!] = listener!;
    }
  }
  vi.stubGlobal("EventSource", Speaking);
  const headline = (await screen.findByTestId("headline")).closest("section")!;
  await waitFor(() => expect(heard.trouble).toBeDefined());
  expect(headline.className).toBe("headline good");
  heard.trouble!({ data: JSON.stringify({ message: "the database is locked", remedy: "end the other program" }) });
  expect((await screen.findByTestId("gone")).textContent).toMatch(/^The server cannot read the store since [\d:]{8}\. The database is locked\..*End the other program\.$/);
  expect(headline.className).toBe("headline gone");
  expect(screen.getByRole("button", { name: "Pause governing" })).toHaveProperty("disabled", true);
  const { control } = anOverview();
  heard.news!({ data: JSON.stringify({ control, present: null, decisions: [] }) });
  await waitFor(() => expect(headline.className).toBe("headline good"));
});

test.each([["tenant", "There is no tenant “ghost” in this run."], ["incident", "There is no report of “ghost”."]])("who is not there has a page that says so under a heading: %s", async (page, said) => {
  opened(`#/${page}?job=ghost`);
  expect((await screen.findByRole("heading", { level: 1, name: said })).textContent).toBe(said);
  expect(screen.getAllByRole("heading", { level: 1 })).toHaveLength(1);
});

test("a tenant that left has its name for a heading, and what was seen of it", async () => {
  const jobs = { geo: { at_s: [0], values: { share: [1], met: [1], slots: [2], unseen: [0] } } };
  opened("#/tenant?job=geo", { jobs, present: present([aTenant()]) }, { "/api/job": aJob() });
  await screen.findByRole("heading", { level: 1, name: "geo" });
  await screen.findByText("Nothing was decided about this tenant.");
});

test("what a stale tenant had is not in the utility that is known, and told beside it", async () => {
  opened("#/overview", { present: aPresent({ utility: 55, known_utility: 20, possible_utility: 70 }) });
  expect((await screen.findByTestId("utility")).parentElement!.textContent).toBe("20 of 70, 35 more by old metrics");
});
