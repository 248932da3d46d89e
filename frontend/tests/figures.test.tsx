import { fireEvent, render, screen, within as inPart } from "@testing-library/preact";
import { beforeEach, expect, test, vi } from "vitest";
import type { ComponentChildren } from "preact";
import type { Cluster, Compare, Keys, Lever, Operator, Stage, Tenant, WhatIf } from "../src/api";
import { Graph } from "../src/graph";
import { ClusterPage } from "../src/pages/cluster";
import { ComparePage } from "../src/pages/compare";
import { IncidentPage } from "../src/pages/incident";
import { OverviewPage } from "../src/pages/overview";
import { Stages, TenantPage } from "../src/pages/tenant";
import { WhatIfPage } from "../src/pages/whatif";
import { cut } from "../src/shown";
import type { Site } from "../src/site";
import { MEANINGS, Term } from "../src/terms";
import { aDecision, aJob, anIncident, anOverview, aPresent, aTenant, found, inside, run, serving } from "./builders";

const SHARE: Tenant["share"] = { text: "weight 2 of 11: 1.5 of 8 slots", weight: 2, weights: 11, slots: 1.45, of_slots: 8, busy: 3.45, busy_text: null, used_slots: 5, cores: 1.9 };
const STAGE: Stage = { job: "ads", name: "work", tasks: 16, rows_in: 316, rows_out: 316, capacity: 3.45, shuffle_local_bytes: 1, shuffle_remote_bytes: 1 };
const LEVER: Lever = { kind: "bound", job: "ads", operator: "*", name: "bound", unit: "rows", now: 400, asked: null, least: 1, most: null, now_text: "400 rows", asked_text: null, limits: "1 or more", disturbs: "nothing", shows: "soon" };
const KEYS: Keys = { job: "ads", operator: "count", table: 1, locality: 0.9, machines: [{ machine: "one", partitions: 1, keys: 7, share: 1 }], partitions: [{ partition: 0, executor: "1", machine: "one", keys: 7, share: 1 }] };
const ads = aTenant({
  share: SHARE, max_slots: 4, cost_hour: 2, prediction_error: { share: 0.03, of: 9 }, levers: [LEVER], recovery_s: 9, recovery_target_s: 60,
});
const present = aPresent({
  tenants: [ads], price: { slot_hour: 1, currency: "EUR" }, levers: [{ ...LEVER, name: "executors" }],
  machines: [{ name: "one", cores: 2, load: 4, memory_share: 0.5, executors: 1, alive: true, congested: true }],
});
const overview = anOverview({ present, jobs: { ads: { at_s: [0, 40], values: { slots: [2, 2], met: [0, 0], share: [0.5, 0.5], unseen: [0, 0] } } } });
const ofThreads = { ...overview, present: { ...present, tenants: [{ ...ads, share: { ...SHARE, weight: null } }] } };
const series = { at_s: [0, 10], values: { share: [0.5, 0.6] } };
const whatIf: WhatIf = {
  present_s: 40, span_s: 120, past: series, past_share: 0.5, as_is: { policy: "penstock", series, share: 0.5, decisions: 0, whole: true },
  changed: { policy: "penstock", series, share: 0.6, decisions: 0, whole: true }, trial: null, slots: 8, took_s: 1,
  jobs: [{ name: "ads", past_share: 0.5, past_met: 0.5, as_is_share: 0.5, as_is_met: 0.5, changed_share: 0.6, changed_met: 0.6, slots_now: 2, slots_then: 3, off: 0.02 }],
};
const side = { run, length_s: 40, utility_share: 0.5, met_share: 0.5, decisions: 1, helped: 1, series };
const compare: Compare = { a: side, b: side, sentences: ["the same"], jobs: [{ name: "ads", asks_a: "x", asks_b: "x", utility_a: 0.5, utility_b: 0.5, met_a: 0.5, met_b: 0.5 }] };
const cluster: Cluster = { run, present, machines: { one: { at_s: [0, 10], values: { load: [1, 2] } } }, stages: [STAGE], keys: [KEYS] };
const job = aJob({
  tenant: ads, series: { at_s: [0, 10], values: { latency_p95_s: [1, 2], slots: [2, 2] } }, stages: [STAGE], state_bytes: 12, recovery_s: 9, recovery_target_s: 60,
  recoveries: [{ lost: "executor", seconds: 5, low_s: null, high_s: null, of: 3 }],
});

// Names that are no figures, and columns of a run whose first one tells what they are.
const PLAIN = new Set(["tenant", "state", "last decision", "stage", "lever", "ask for", "machine", "partitions", "which, and their share of the rows", "rate, times", "as it is", "changed", "B", "C"]);

beforeEach(() => {
  vi.stubGlobal("fetch", serving({
    "/api/job": job, "/api/cluster": cluster, "/api/compare": compare, "/api/incident": anIncident({ unseen_s: 5 }), "/api/what-if": whatIf, "/api/policies": [],
    "/api/remedies": found(), "/api/worth": {},
  }).fetch);
});

function shown(page: ComponentChildren, more: Partial<Site> = {}): HTMLElement {
  return render(inside(page, { overview, ...more })).container as HTMLElement;
}

test.each<[string, ComponentChildren, string]>([
  ["overview", <OverviewPage />, "SLOs met"],
  ["tenant", <TenantPage job="ads" />, "tasks"],
  ["cluster", <ClusterPage />, "tasks"],
  ["what-if", <WhatIfPage job="ads" />, "off when tried"],
  ["compare", <ComparePage a="demo-1" b="demo-1" />, "met, A"],
  ["incident", <IncidentPage job="ads" />, "latency at worst"],
])("every figure of the page %s says what it means", async (_, page, last) => {
  const all = shown(page);
  const ask = inPart(all).queryByTestId("ask");
  if (ask) fireEvent.click(ask);
  await screen.findByText(last);
  const names = [...all.querySelectorAll(".stat dt, .machine dt, thead th, .chart .title")];
  const own = (element: Element): string => (element.querySelector(".term") ?? element).firstChild?.textContent?.trim() ?? "";
  expect(names.filter((name) => !name.querySelector("[role=tooltip]")).map(own).filter((name) => !PLAIN.has(name))).toEqual([]);
  expect(names.length).toBeGreaterThan(3);
});

test("what a name means is told while the pointer is there, until it leaves or Escape", () => {
  render(<Term of="busy" />);
  const name = screen.getByText("busy");
  const told = (): HTMLElement | null => screen.queryByRole("tooltip");
  expect(told()).toBeNull();
  fireEvent.mouseEnter(name);
  expect(told()!.textContent).toBe(MEANINGS.busy);
  fireEvent.keyDown(window, { key: "Escape" });
  expect(told()).toBeNull();
  fireEvent.focus(name); // by a finger
  expect(told()).not.toBeNull();
});

test("a tenant that used more than its share is busy all the time and used so many slots, on its card, its operator and its stages alike", async () => {
  const page = shown(<TenantPage job="ads" />);
  await screen.findByText("tasks");
  expect(page.textContent).not.toContain("345 %");
  const figures = [...page.querySelectorAll(".stat")].map((stat) => `${stat.querySelector(".term")!.firstChild!.textContent}: ${stat.querySelector("dd")!.textContent}`);
  expect(figures).toEqual(expect.arrayContaining(["its share: 1.4 of 8 slots", "busy: 100 % of its share", "slots used: 5", "cores used: 1.9"]));
  expect(page.querySelector("td[data-label='slots used']")!.textContent).toBe("5.0"); // 3.45 times 1.45
});

test("an operator whose threads are shared tells what it used in slots, one that has its own is at most busy all the time", () => {
  const operator: Operator = { name: "*", threads: 2, capacity: 3.45, rows_in_rps: 1, rows_out_rps: 1, backlog_rows: null, is_source: true };
  render(<Graph operators={[operator, { ...operator, name: "map", threads: 1, capacity: 0.76 }]} edges={[]} share={SHARE} />);
  expect(screen.getByRole("img", { name: "all operators: weight 2, busy 100 % of its share, 5 slots used" })).toBeTruthy();
  expect(screen.getByRole("img", { name: "map: 1 thread, busy 76 %" })).toBeTruthy();
});

test("a stage with few tasks could fill so many slots only, and where nobody knows the slots nothing is said", () => {
  const { container, rerender } = render(<Stages stages={[{ ...STAGE, tasks: 1, capacity: 0.5 }]} slotsOf={() => 4} />);
  const used = (): string | null => container.querySelector("td[data-label='slots used']")!.textContent;
  expect(used()).toBe("0.50");
  rerender(<Stages stages={[STAGE]} slotsOf={() => null} />);
  expect(used()).toBe("–");
});

test("the number of decisions is that of the run, of whose newest it is told how many helped", async () => {
  shown(<OverviewPage />, { overview: { ...overview, decisions: [aDecision({ number: 811, came: "worse" }), aDecision({ number: 812 })] } });
  expect((await screen.findByTestId("decided")).parentElement!.textContent).toBe("812 1 of the newest 2 helped");
});

test("where nothing is judged, nobody says that none helped", async () => {
  const decisions = [aDecision({ came: "not judged", foretold: "ads 1.7 s instead of 9.6 s", why: "ads is predicted to miss it." })];
  shown(<OverviewPage />, { overview: { ...overview, decisions } });
  expect((await screen.findByTestId("decided")).parentElement!.textContent).toBe("1 not judged");
  const told = screen.getByTestId("story").textContent;
  expect(told).toContain("1 decision: 1 not judged. The last one, at");
  expect(told).toContain("because ads is predicted to miss it. Predicted: ads 1.7 s instead of 9.6 s.");
});

test("what is shared has no cost but what is missing of whose utility", async () => {
  shown(<OverviewPage />, { overview });
  const told = (await screen.findByTestId("story")).textContent;
  expect(told).toContain("15 of 35 utility was missing on average: ads lacked 17.5 of its 35.");
  expect(told).not.toContain("weights");
});

test("what was not carried out changed nobody's threads", async () => {
  const change = { kind: "slots", job: "ads", operator: "*", before: 2, after: 5, text: "" };
  shown(<OverviewPage />, { overview: { ...ofThreads, decisions: [aDecision({ changes: [change] }), aDecision({ number: 2, changes: [change], came: "not carried out" })] } });
  expect((await screen.findByTestId("story")).textContent).toContain("decisions changed them by 3 in all");
});

test("who came late held nothing before: threads on average are never more than there were at any time", async () => {
  const at_s = [0, 10, 20, 30];
  const totals = { at_s, values: { utility: [35, 35, 35, 35], max_utility: [35, 35, 35, 35], possible_utility: [35, 35, 35, 35] } };
  const jobs = { ads: { at_s, values: { slots: [2, 2, 2, 2] } }, late: { at_s: [30], values: { slots: [8] } } };
  shown(<OverviewPage />, { overview: { ...ofThreads, totals, jobs } });
  expect((await screen.findByTestId("story")).textContent).toContain("4 threads held on average"); // 2 + 8 / 4
});

test("of a zoom what happened, and how often each had what it asked for, are told of that part", async () => {
  const at_s = [0, 10, 20, 30];
  const totals = { at_s, values: { utility: [0, 0, 35, 35], max_utility: [35, 35, 35, 35], possible_utility: [35, 35, 35, 35] } };
  const jobs = { ads: { at_s, values: { slots: [2, 2, 2, 2], met: [0, 0, 1, 1], share: [0, 0, 1, 1], unseen: [0, 0, 0, 0] } } };
  const page = shown(<OverviewPage />, { overview: { ...overview, totals, jobs }, zoom: [20, 30] });
  expect((await screen.findByTestId("story")).textContent).toContain("Tenants had 100 % of the utility");
  expect(page.querySelector(".strips .value")!.textContent).toBe("100 %");
  expect(screen.getByText("in the 10 s shown")).toBeTruthy();
});

test("a part begins with what held at its beginning", () => {
  expect(cut({ at_s: [0, 10, 20, 30], values: { met: [1, 2, 3, 4] } }, [15, 25])).toEqual({ at_s: [10, 20], values: { met: [2, 3] } });
  expect(cut({ at_s: [10, 20], values: { met: [1, 2] } }, [0, 5]).at_s).toEqual([]);
});
