import { act, render, screen } from "@testing-library/preact";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { App } from "../src/app";
import type { Lever, News, Overview } from "../src/api";
import { told } from "../src/live";
import { stackedSlots } from "../src/pages/overview";
import { Strips } from "../src/strips";
import { anOverview, aTenant, serving } from "./builders";

type Present = NonNullable<Overview["present"]>;

/** A server's stream of events that a test speaks through. */
class Spoken {
  static line: Spoken | undefined;
  onopen = null;
  onerror = null;
  readyState = 1;
  private heard = new Map<string, (event: { data: string }) => void>();
  constructor() { Spoken.line = this; }
  addEventListener(name: string, hear: (event: { data: string }) => void): void { this.heard.set(name, hear); }
  close(): void {}
  say(news: News): void { this.heard.get("news")!({ data: JSON.stringify(news) }); }
}

/** What would lay out the page: a canvas that is asked for its size. */
let asked = 0;
const watchers: ((entries: { contentRect: { width: number; height: number } }[]) => void)[] = [];

beforeEach(() => {
  Spoken.line = undefined;
  asked = 0;
  watchers.length = 0;
  vi.stubGlobal("ResizeObserver", class {
    constructor(told: (typeof watchers)[number]) { watchers.push(told); }
    observe(): void {}
    disconnect(): void {}
  });
});

afterEach(() => { vi.restoreAllMocks(); });

function present(at_s: number, more: Partial<Present> = {}): Present {
  return {
    at_s, cycle: at_s, utility: 20, max_utility: 35, known_utility: 20, possible_utility: 35, met: 0, judged: 1, starting: 0, resting: 0, slots: 8, given: "8 slots, weights of 11 in all", note: "", headline: `seen at ${at_s}`,
    state: "fine", tenants: [aTenant({ state: "fine", met: true })], machines: [], levers: [], shortfall: "", price: null, ...more,
  };
}

const news = (at_s: number, more: Partial<Present> = {}): News => ({ control: anOverview().control, present: present(at_s, more), decisions: [] });

test("news are drawn in a task of their own, and news that come meanwhile are drawn with them", async () => {
  vi.stubGlobal("EventSource", Spoken);
  vi.stubGlobal("fetch", serving({
    "/api/session": { role: "view", tokens_required: false, version: "0" }, "/api/overview": anOverview({ present: present(40) }), "/api/runs": [], "/api/acts": [],
  }).fetch);
  render(<App />);
  const headline = await screen.findByTestId("headline");
  await vi.waitFor(() => expect(Spoken.line).toBeDefined());
  const drawn: (string | null)[] = [];
  new MutationObserver(() => drawn.push(headline.textContent)).observe(headline, { characterData: true, subtree: true, childList: true });
  await act(async () => {
    Spoken.line!.say(news(41));
    Spoken.line!.say(news(42));
    await Promise.resolve();
    expect(headline.textContent).toBe("seen at 40");
  });
  await vi.waitFor(() => expect(headline.textContent).toBe("seen at 42"));
  expect(drawn).not.toContain("seen at 41");
});

test("what may wait is drawn a task after the rest of the page, with the same news", async () => {
  vi.stubGlobal("EventSource", Spoken);
  const jobs = { ads: { at_s: [0, 40], values: { share: [1, 1], met: [1, 1], slots: [1, 1], unseen: [0, 0] } } };
  vi.stubGlobal("fetch", serving({
    "/api/session": { role: "view", tokens_required: false, version: "0" }, "/api/overview": anOverview({ present: present(40), jobs }), "/api/runs": [], "/api/acts": [],
  }).fetch);
  render(<App />);
  const headline = await screen.findByTestId("headline");
  await vi.waitFor(() => expect(Spoken.line).toBeDefined());
  const length = (): string | null => screen.getByText(/^in the .* shown$/).textContent;
  expect(length()).toBe("in the 40 s shown"); // at once when the page comes
  Spoken.line!.say(news(50));
  const seen = new Set<string>(); // task by task
  while (length() !== "in the 50 s shown") {
    await new Promise((next) => setTimeout(next));
    seen.add(`${headline.textContent}, ${length()}`);
  }
  expect([...seen].slice(-2)).toEqual(["seen at 50, in the 40 s shown", "seen at 50, in the 50 s shown"]);
});

test("a strip that gets news keeps its watcher, and is painted without being asked for its size", () => {
  vi.spyOn(HTMLCanvasElement.prototype, "clientWidth", "get").mockImplementation(() => { asked += 1; return 100; });
  const rects = vi.fn();
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue({ fillRect: rects } as unknown as null);
  const series = { at_s: [0, 10], values: { share: [1, 1], met: [1, 1], slots: [1, 1], unseen: [0, 0] } };
  const { rerender } = render(<Strips jobs={[["ads", series]]} from_s={0} to_s={20} run="last" />);
  act(() => watchers[0]!([{ contentRect: { width: 100, height: 10 } }]));
  const before = rects.mock.calls.length;
  expect(before).toBe(3); // the ground, and a piece for each time
  const longer = { at_s: [0, 10, 20], values: { share: [1, 1, 1], met: [1, 1, 1], slots: [1, 1, 1], unseen: [0, 0, 0] } };
  act(() => rerender(<Strips jobs={[["ads", longer]]} from_s={0} to_s={30} run="last" />));
  expect(rects.mock.calls.length - before).toBe(4);
  expect(watchers).toHaveLength(1);
  expect(asked).toBe(0);
});

test("levers, which news leave out, stay as they were read", () => {
  const lever = { kind: "slots", name: "weight" } as Lever;
  const before = anOverview({ present: present(40, { tenants: [aTenant({ levers: [lever] })] }) });
  const after = told(before, news(41, { tenants: [aTenant({ levers: [], backlog_rows: 7 }), aTenant({ name: "new" })] }), null);
  expect(after.present!.tenants.map((tenant) => [tenant.name, tenant.backlog_rows, tenant.levers])).toEqual([["ads", 7, [lever]], ["new", 12, []]]);
});

test("of many tenants seven have a layer each, and the others are one that is right at each time, whenever each was seen", () => {
  const series = (at_s: number[], slots: number[]) => ({ at_s, values: { slots } });
  const large = Object.fromEntries(Array.from({ length: 7 }, (_, number) => [`large-${number}`, series([0, 10], [100 - number, 100 - number])]));
  const few = { a: series([0, 10], [1, 2]), b: series([0, 10], [3, 4]), late: series([10], [5]) };
  const layers = stackedSlots([0, 5, 10], { ...large, ...few });
  expect(layers.map((layer) => layer.name)).toEqual([...Object.keys(large), "3 others"]);
  expect(layers.at(-1)!.own).toEqual([4, 4, 11]); // 1 + 3, the same until the next, 2 + 4 + 5
  expect(layers.at(-1)!.values).toEqual([683, 683, 690]); // above 100 + 99 + ... + 94 = 679
});
