import { expect, test } from "vitest";
import { toldAt } from "../src/marks";
import { incidentLink } from "../src/route";
import { aDecision, anOverview, run } from "./builders";

const started_at = null;
const at = (at_s: number): number => at_s * 10; // ten pixels a second

test("the pointer at a mark is told the decision's sentence, with when and what came of it", () => {
  const told = toldAt({ run: { started_at }, marks: [aDecision({ number: 3, at_s: 20 })] }, 204, at);
  expect(told).toEqual({ left: 200, text: "0:00:20 3. ads: weight 2 → 5: ads misses its latency; better: utility 55 → 64" });
});

test("beside all marks nothing is told, and of two the nearer one", () => {
  const marks = [aDecision({ number: 1, at_s: 20 }), aDecision({ number: 2, at_s: 21 })];
  expect(toldAt({ run: { started_at }, marks }, 300, at)).toBeNull();
  expect(toldAt({ run: { started_at }, marks }, 206, at)?.text).toContain("2. ads");
});

test("what stands at one place is told together, acts of people among it", () => {
  const acts = [{ at_s: 20, who: "ann", text: "ann paused governing", job: null }];
  const told = toldAt({ run: { started_at }, marks: [aDecision({ number: 4, at_s: 20, verdict: null, came: "not judged yet" })], acts }, 200, at);
  expect(told?.text).toBe("0:00:20 4. ads: weight 2 → 5: ads misses its latency; not judged yet · ann paused governing");
});

test("an incident's address has the tenant and the time that is shown", () => {
  location.hash = "#/overview";
  const overview = anOverview({ run: { ...run, last_s: 1000 } });
  expect(incidentLink(overview, { job: "ads", zoom: null, span_s: 900 })).toBe("#/incident?run=demo-1&job=ads&from=100.0&to=1000.0");
  location.hash = "#/overview?from=5&to=9";
  expect(incidentLink(overview, { job: "ads", zoom: [5, 9], span_s: 900 })).toBe("#/incident?run=demo-1&job=ads&from=5&to=9");
});
