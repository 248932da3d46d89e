import { expect, test } from "vitest";
import { relative } from "../src/chart";
import { number, percent, seconds, sentence } from "../src/format";
import { lasting } from "../src/keys";
import { told } from "../src/live";
import { matching } from "../src/many";
import { questionOf } from "../src/pages/whatif";
import { link, zoomOf } from "../src/route";
import { aDecision, anOverview, aTenant } from "./builders";

test("what is absent is a dash, and nothing is all of it while something is missing", () => {
  expect([number(null), percent(null), seconds(undefined)]).toEqual(["–", "–", "–"]);
  expect([percent(0.9997), percent(1), percent(0.876)]).toEqual(["99.9 %", "100 %", "88 %"]);
  expect([seconds(0.08), seconds(3.42), seconds(316)]).toEqual(["80 ms", "3.4 s", "5 min"]);
  expect(sentence("p95 latency <= 2s -> 3s.")).toBe("P95 latency ≤ 2s → 3s.");
});

test("ticks are told as evenly as they stand, and only what has a present has a now", () => {
  expect([-20, -10, 0, 10].map((at) => relative(at, 10, "now"))).toEqual(["−20 s", "−10 s", "now", "+10 s"]);
  expect([0, 300, 630].map((at) => relative(at, 300, "0"))).toEqual(["0", "+5 min", "+10.5 min"]);
  expect(relative(43200, 3600, "0")).toBe("+12 h");
});

test("the time that is looked at goes along from page to page, a question does not", () => {
  location.hash = "#/overview?run=last&span=900&from=10&to=20&ask=1&find=ads";
  expect(link("tenant", { run: "last", job: "ads" })).toBe("#/tenant?run=last&job=ads&span=900&from=10&to=20");
  expect(link("tenant", { job: "ads", from: undefined, to: undefined })).toBe("#/tenant?job=ads&span=900");
});

test("a zoom has a beginning before its end", () => {
  expect(zoomOf({ from: "10", to: "20.5" })).toEqual([10, 20.5]);
  for (const query of [{}, { from: "10" }, { from: "20", to: "10" }, { from: "a", to: "b" }]) expect(zoomOf(query as Record<string, string>)).toBeNull();
});

test("a copied link names the run that is the last today", () => {
  expect(lasting("http://here/#/tenant?run=last&job=ads", "demo-1")).toBe("http://here/#/tenant?run=demo-1&job=ads");
  expect(lasting("http://here/", "demo-1")).toBe("http://here/#/overview?run=demo-1");
});

test("tenants are found by all the words of their names", () => {
  const names = ["shop-fraud", "shop-ads", "geo"];
  expect(matching(names, (one) => one, "ad SHOP")).toEqual(["shop-ads"]);
  expect(matching(names, (one) => one, "  ")).toEqual(names);
});

test("an address that holds no question asks nothing", () => {
  expect(questionOf('{"slots": 4}')).toEqual({ slots: 4 });
  for (const text of [undefined, "", "nonsense", "3", "null"]) expect(questionOf(text)).toEqual({});
});

test("news lengthen every line by a point, and verdicts replace what was not judged", () => {
  const before = anOverview({ decisions: [aDecision({ came: "not judged yet", verdict: null })] });
  const tenants = [aTenant({ state: "blind", utility: null })];
  const present = { at_s: 45, cycle: 5, utility: 20, max_utility: 35, known_utility: 0, possible_utility: 35, met: 0, judged: 1, starting: 0, resting: 0, slots: 8, given: "", note: "", headline: "", state: "blind" as const, tenants, machines: [], levers: [], shortfall: "", price: null };
  const after = told(before, { control: before.control, present, decisions: [aDecision()] }, 30);
  expect(after.totals.at_s).toEqual([40, 45]); // what is older than 30 s is shown no more
  expect(after.decisions.map((one) => one.came)).toEqual(["better"]);
  expect(after.jobs.ads!.values.unseen).toEqual([1]);
  expect(after.jobs.ads!.values.met).toEqual([null]); // while nobody knows it is not met
});
