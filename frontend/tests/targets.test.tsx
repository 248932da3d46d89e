import { render, screen } from "@testing-library/preact";
import { expect, test, vi } from "vitest";
import type { Act, Job, Target } from "../src/api";
import { lastShown } from "../src/chart";
import { IncidentPage } from "../src/pages/incident";
import { latencyLines, targetLines } from "../src/pages/tenant";
import { Slots } from "../src/pages/overview";
import { aJob, anIncident, anOverview, inside, serving } from "./builders";

function target(percentile: number | null, seconds: number): Target {
  return { kind: "latency", text: "", target: seconds, percentile, now: null, met: null, utility: 35 };
}

function asked(...changes: [number, Target[]][]): Job {
  return aJob({ series: { at_s: [0, 10, 20, 30], values: { latency_p95_s: [1, 1, 1, 1] } }, asked: changes.map(([from_s, targets]) => ({ from_s, text: "", targets })) });
}

test("a target is drawn as it was at each time, as a step", () => {
  const [line, ...more] = targetLines(asked([0, [target(95, 20)]], [20, [target(95, 3)]]), "latency");
  expect(line).toMatchObject({ label: "target", values: [20, 20, 3, 3], stepped: true, dash: true });
  expect(more).toEqual([]);
});

test("of two latencies that are asked for each has its line, in the colour of its quantile", () => {
  const lines = targetLines(asked([0, [target(50, 1), target(99, 5)]]), "latency");
  expect(lines.map(({ label, values, colour }) => [label, values[0], colour])).toEqual([["p50 target", 1, "c0"], ["p99 target", 5, "c3"]]);
});

test("what was not asked for at a time has no line over it", () => {
  const lines = targetLines(asked([0, [target(95, 2)]], [20, [target(null, 4)]]), "latency");
  expect(lines.map(({ label, values }) => [label, values])).toEqual([["p95 target", [2, 2, null, null]], ["mean target", [null, null, 4, 4]]]);
  expect(targetLines(asked([0, [target(95, 2)]]), "juice")).toEqual([]);
  expect(latencyLines(asked([0, [target(95, 2)]])).map((line) => line.label)).toEqual(["p95", "target"]);
});

const ACTS: Act[] = [
  { at_s: 20, who: "ann", text: "ann paused governing", job: null },
  { at_s: 25, who: "ann", text: "ann approved proposal 1", job: "geo" },
];

test("acts of people are marked on the chart of an incident, those about others are not", async () => {
  vi.stubGlobal("fetch", serving({ "/api/incident": anIncident(), "/api/job": asked([0, [target(95, 2)]]) }).fetch);
  render(inside(<IncidentPage job="ads" />, { acts: ACTS }));
  const chart = await screen.findByRole("img", { name: /^Latency\./ });
  expect(chart.getAttribute("aria-label")).toContain("1 acts of people are marked: ann paused governing.");
});

test("and on the chart of who has which share", () => {
  const overview = anOverview({ jobs: { ads: { at_s: [0, 40], values: { slots: [2, 3] } } } });
  render(inside(<Slots overview={overview} />, { acts: ACTS, overview }));
  expect(screen.getByRole("img").getAttribute("aria-label")).toContain("2 acts of people are marked");
});

test("the legend tells the last figure of what is shown, of a zoom the last in it", () => {
  const at_s = [0, 10, 20, 30];
  expect(lastShown({ at_s, zoom: null })).toBe(3);
  expect(lastShown({ at_s, zoom: [5, 22] })).toBe(2);
  expect(lastShown({ at_s, zoom: [-9, -1] })).toBe(3); // nothing of it is shown
});
