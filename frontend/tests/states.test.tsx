import { render, screen, waitFor } from "@testing-library/preact";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { App } from "../src/app";
import type { Control, Overview, State, Tenant } from "../src/api";
import { OverviewPage } from "../src/pages/overview";
import { anOverview, aPresent, aTenant, inside, run } from "./builders";

/** A stream that stays closed, as where as many watch as may. */
class Closed {
  static readonly OPEN = 1;
  static readonly CLOSED = 2;
  onopen = null;
  onerror = null;
  readyState = 2;
  addEventListener(): void {}
  close(): void {}
}

type Answer = [number, unknown] | null; // null: nobody answers

/** The server, whose answers change while somebody looks. */
const server = {
  answers: {} as Record<string, Answer>,
  fetch: (path: RequestInfo | URL): Promise<Response> => {
    const known = Object.keys(server.answers).find((one) => String(path).startsWith(one));
    const answer = known === undefined ? ([404, { message: "there is no such thing" }] as Answer) : server.answers[known]!;
    return answer === null ? Promise.reject(new TypeError("failed to fetch")) : Promise.resolve(new Response(JSON.stringify(answer[1]), { status: answer[0] }));
  },
};

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  server.answers = { "/api/session": [200, { role: "operate", tokens_required: false, version: "0" }], "/api/runs": [200, []], "/api/acts": [200, []], "/api/worth": [404, {}] };
  vi.stubGlobal("fetch", server.fetch);
  vi.stubGlobal("EventSource", Closed);
});

afterEach(() => { vi.useRealTimers(); });

const after = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
const headline = (): string => screen.getByTestId("headline").textContent!;
const todo = (): string => screen.getByRole("list", { name: "What to do" }).textContent!;
const fine = anOverview({ present: aPresent({ state: "fine", headline: "All have what they asked for.", tenants: [aTenant({ state: "fine", met: true })] }) });

test("where nothing is recorded it says how to come by something, and shows the first run once it is there", async () => {
  server.answers["/api/overview"] = [404, { message: "run: 'last' cannot be used; none is recorded here yet" }];
  render(<App />);
  await screen.findByTestId("headline");
  expect(headline()).toBe("No run is recorded here yet.");
  expect(todo()).toContain("penstock serve --scenario");
  server.answers["/api/overview"] = [200, fine];
  await after(1500);
  await waitFor(() => expect(headline()).toBe("All have what they asked for."));
});

test("a run that nobody knows is no empty store", async () => {
  location.hash = "#/overview?run=nobody";
  server.answers["/api/overview"] = [404, { message: "run: 'nobody' cannot be used; name one that is recorded: last" }];
  render(<App />);
  expect((await screen.findByRole("alert")).textContent).toContain("nobody");
  expect(todo()).toBe("Look at the newest run instead.");
});

test("a store that is locked when the page comes is told as such, with what to do, and tried again", async () => {
  server.answers["/api/overview"] = [503, { message: "store /runs.sqlite: database is locked", remedy: "end the other program that writes into it" }];
  render(<App />);
  await screen.findByTestId("headline");
  expect(headline()).toBe("The store cannot be read.");
  expect(screen.getByText("Store /runs.sqlite: database is locked. The page tries again every second.")).toBeTruthy();
  expect(todo()).toBe("End the other program that writes into it.");
  server.answers["/api/overview"] = [200, fine];
  await after(1500);
  await waitFor(() => expect(headline()).toBe("All have what they asked for."));
});

test("a run that has not begun is waited for", async () => {
  server.answers["/api/overview"] = [503, { message: "The run is starting: it has not begun yet." }];
  render(<App />);
  await screen.findByTestId("headline");
  expect([headline(), todo()]).toEqual(["The run is starting: it has not begun yet.", "If this does not change, look at the terminal that started the run."]);
});

test("a run that has begun and seen nothing says when the first figures come", async () => {
  server.answers["/api/overview"] = [200, anOverview()];
  render(<App />);
  await screen.findByTestId("headline");
  expect(headline()).toBe("demo is starting: no cycle yet.");
  expect(screen.getByText(/^The first one comes 5 s after the start\./)).toBeTruthy();
});

test("a server that is not there from the first is tried again, and said where to look for", async () => {
  server.answers["/api/session"] = null;
  render(<App />);
  await after(1200);
  await waitFor(() => expect(headline()).toBe("The server cannot be reached."));
  expect(todo()).toContain("penstock serve");
  await waitFor(() => expect(document.title).toBe("✕ gone – penstock"));
  server.answers["/api/session"] = [200, { role: "operate", tokens_required: false, version: "0" }];
  server.answers["/api/overview"] = [200, fine];
  await after(1500);
  await waitFor(() => expect(headline()).toBe("All have what they asked for."));
});

test("a server that goes away takes the colours from the page, and what it was is told as past", async () => {
  server.answers["/api/overview"] = [200, fine];
  render(<App />);
  await screen.findByTestId("headline");
  await waitFor(() => expect(document.title).toBe("✓ 1 fine – Overview – demo – penstock"));
  server.answers["/api/session"] = null;
  await after(1500);
  expect((await screen.findByTestId("gone")).textContent).toMatch(/^The server has not answered since [\d:]{8}\. What is shown is as it was then.*Check whether penstock serve/);
  expect(screen.getByTestId("headline").closest("section")!.className).toBe("headline gone");
  expect(document.title).toBe("✕ gone – Overview – demo – penstock");
});

test("a server that answers and sends no news is not believed for long", async () => {
  server.answers["/api/overview"] = [200, fine];
  render(<App />);
  await screen.findByTestId("headline");
  await after(5000);
  expect((await screen.findByTestId("gone")).textContent).toMatch(/^The server answers, but sends no updates since [\d:]{8}\.*.*It may be slow to read the store, or too many pages are open: close some/);
  expect(document.querySelector(".life")!.textContent).toBe("no news");
  expect(screen.getByTestId("headline").closest("section")!.className).toBe("headline gone");
});

test("once a server that was silent gives a sign of life it is believed again, also where no news come any more", async () => {
  let lives = (): void => {};
  class Waking extends Closed {
    override addEventListener(name?: string, hear?: () => void): void { if (name === "life") lives = hear!; }
  }
  vi.stubGlobal("EventSource", Waking);
  server.answers["/api/overview"] = [200, fine];
  render(<App />);
  await screen.findByTestId("headline");
  await after(5000);
  expect(await screen.findByTestId("gone")).toBeTruthy();
  lives();
  await waitFor(() => expect(screen.queryByTestId("gone")).toBeNull());
  expect(document.querySelector(".life")!.textContent).not.toBe("no news");
});

test("who may not look any more is asked for a token, with how to come by one, and sees no figures", async () => {
  server.answers["/api/overview"] = [200, fine];
  render(<App />);
  await screen.findByTestId("headline");
  server.answers["/api/session"] = [200, { role: "none", tokens_required: true, version: "0" }];
  await after(1500);
  expect(await screen.findByLabelText("Token")).toBeTruthy();
  expect(screen.getByText("penstock serve --new-tokens")).toBeTruthy();
  expect(screen.queryByTestId("headline")).toBeNull();
  await waitFor(() => expect(document.title).toBe("locked – penstock"));
});

function shown(overview: Overview): void {
  vi.stubGlobal("fetch", server.fetch);
  render(inside(<OverviewPage />, { overview }));
}

test("of a run whose controller is no more it is said what became of it, and what that means", () => {
  const said = "Its controller ended in order at 2026-11-23 04:05:06 UTC.";
  shown({ ...fine, control: { ...fine.control, live: false, life: "ended", said }, run: { ...run, live: false } });
  expect(document.querySelector(".last-sign")!.textContent).toBe(`${said} Until a controller runs again, nothing is decided and requests are not accepted.`);
});

test.each<[Control["life"], string, string]>([
  ["awaited", "headline wait", "Last known: All have what they asked for."],
  ["silent", "headline gone", "Last known: All have what they asked for."],
  ["ahead", "headline gone", "Last known: All have what they asked for."],
  ["ended", "headline over", "At its end: All have what they asked for."],
])("of a controller that is %s nothing is told as so now, and nothing is green", (life, colour, told) => {
  shown({ ...fine, control: { ...fine.control, live: life === "awaited", life, said: "Something." } });
  const box = screen.getByTestId("headline").closest("section")!;
  expect([box.className, box.querySelector("h1")!.textContent]).toEqual([colour, told]);
  expect(document.querySelectorAll(".headline.good, .bar.good").length).toBe(0);
  expect(screen.queryAllByRole("alert").length).toBe(life === "silent" || life === "ahead" ? 1 : 0);
});

test("that a controller's clock is wrong is said though it lives", () => {
  const said = "The clock of its controller is 1 h ahead of this machine's: set both by a time server.";
  shown({ ...fine, control: { ...fine.control, said } });
  expect(document.querySelector(".last-sign")!.textContent).toBe(said);
});

test("nothing of the kind is said of a controller that lives", () => {
  shown({ ...fine, control: { ...fine.control, seen_at_epoch_s: 1 } });
  expect(document.querySelector(".last-sign")).toBeNull();
});

test.each<[State, RegExp | null]>([["blind", /Structured Streaming/], ["stale", /a long batch/], ["starting", /Wait for the end of its first batch/], ["missing", null]])(
  "who is %s has what can be done on the card, unless a remedy says it",
  (state, said) => {
    const tenant: Tenant = aTenant({ state, utility: null, met: false });
    shown({ ...fine, present: aPresent({ state, tenants: [tenant] }) });
    const card = screen.getByTestId("trouble").textContent;
    if (said) expect(card).toMatch(said);
    else expect(card).not.toContain("To do");
  },
);

test("of many in trouble the cards are those of the worst four, and the others are counted", () => {
  const tenants = Array.from({ length: 7 }, (_, number) => aTenant({ name: `tenant-${number}` }));
  shown({ ...fine, present: aPresent({ tenants }) });
  expect(screen.getAllByTestId("trouble").length).toBe(4);
  expect(screen.getByText("3 more are in trouble: they come first in the table of all tenants.")).toBeTruthy();
});

test("a controller whose clock is ahead is told so beside its run", async () => {
  server.answers["/api/overview"] = [200, { ...fine, control: { ...fine.control, seen_at_epoch_s: Date.now() / 1000 + 3700 } }];
  render(<App />);
  await waitFor(() => expect(screen.getByText(/^its controller’s clock is 1 h 1 min ahead/)).toBeTruthy());
});
