import { expect, test } from "vitest";
import type { Control, Overview, State } from "../src/api";
import type { Watched } from "../src/live";
import { standingOf } from "../src/title";
import { anOverview, aPresent, aTenant } from "./builders";

function over(states: State[], life: Control["life"] = "live"): Overview {
  const tenants = states.map((state, place) => aTenant({ name: `tenant-${place}`, state }));
  const overview = anOverview({ present: aPresent({ tenants }) });
  return { ...overview, control: { ...overview.control, life, live: life === "live" } };
}

function watched(more: Partial<Watched>): Watched {
  return { overview: null, error: null, remedy: null, waits: false, empty: false, line: "live", gone_since: null, unread: null, again: () => undefined, ...more };
}

test.each<[State[], string]>([
  [["fine", "fine", "fine"], "✓ 3 fine"],
  [["fine", "missing", "fine", "blind"], "▼ 1 missing, 1 blind, 2 fine"],
  [["blind", "fine"], "? 1 blind, 1 fine"],
  [["fine", "stale", "starting"], "… 1 stale, 1 starting, 1 fine"],
  [["starting"], "◐ 1 starting"],
  [["resting", "fine"], "✓ 1 fine, 1 resting"],
  [["resting"], "☾ 1 resting"],
  [[], "no tenant"],
])("tenants that are %s make the tab say %s", (states, told) => {
  expect(standingOf(watched({ overview: over(states) }))).toBe(told);
});

test.each<[string, Partial<Watched>]>([
  ["✕ gone", { overview: over(["fine"]), line: "gone", gone_since: 1 }],
  ["✕ not read", { overview: over(["fine"]), unread: { message: "database is locked", remedy: null, since: 1 } }],
  ["✕ no news", { overview: over(["fine"]), unread: { message: "", remedy: null, since: 1, unheard: true } }],
  ["… awaited", { overview: over(["fine"], "awaited") }],
  ["✕ silent", { overview: over(["fine"], "silent") }],
  ["? clock ahead", { overview: over(["fine"], "ahead") }],
  ["ended", { overview: over(["fine"], "ended") }],
  ["starting", { overview: anOverview() }],
  ["no run", { error: "none is recorded here yet", waits: true, empty: true }],
  ["✕ not read", { error: "database is locked", waits: true }],
  ["not found", { error: "run: 'nobody' cannot be used" }],
  ["", {}],
])("the tab says “%s” where fine would be no news of now", (told, how) => {
  expect(standingOf(watched(how))).toBe(told);
});
