import { fireEvent, render, screen } from "@testing-library/preact";
import { expect, test, vi } from "vitest";
import type { State } from "../src/api";
import { DecisionItem, StateBadge } from "../src/parts";
import { tone } from "../src/site";
import { Story } from "../src/story";
import { aDecision, anOverview, aPresent, inside, run, serving } from "./builders";

test.each<[State, string]>([
  ["missing", "misses its target"],
  ["blind", "blind: no figures"],
  ["stale", "stale: old figures"],
  ["starting", "starting"],
  ["fine", "met"],
])("the state %s has a sign and words, not a colour alone", (state, words) => {
  const { container } = render(<StateBadge state={state} />);
  expect(container.textContent).toMatch(new RegExp(`^\\S ${words}$`));
});

test("a decision says what, why and what came of it", () => {
  const { container } = render(<ol><DecisionItem decision={aDecision()} run={run} link="last" /></ol>);
  expect(container.textContent).toContain("ads: weight 2 → 5");
  expect(container.textContent).toContain("It helped");
  expect(container.textContent).toContain("utility 55 → 64 (expected 65)");
});

test("what came of decisions is counted by what is known of each, and what nobody will judge waits for nothing", () => {
  const decisions = (["better", "worse", "no change", "not judged yet", "not judged", "not judged"] as const).map((came, place) => aDecision({ number: place + 1, came }));
  render(inside(<Story />, { gone: true, overview: anOverview({ decisions, present: aPresent() }) }));
  expect(document.body.textContent).toContain("6 decisions: 1 helped, 1 did not, 1 changed nothing, 1 not judged yet, 2 not judged.");
});

test("of what was not judged it is said why", () => {
  const decision = aDecision({ came: "not judged", verdict: "not judged: the run ended before it settled", utility_came: null });
  const { container } = render(<ol><DecisionItem decision={decision} run={run} link="last" /></ol>);
  expect(container.textContent).toContain("Not judged: the run ended before it settled.");
  expect(container.textContent).not.toContain("Too early to say");
});

test("how it would have gone without it is asked for when somebody wants to know", async () => {
  const server = serving({ "/api/without": { number: 1, text: "without it 61 % of the utility instead of 72 % (simulated; off by 4.0 %)", tells: true } });
  vi.stubGlobal("fetch", server.fetch);
  render(<ol><DecisionItem decision={aDecision()} run={run} link="last" /></ol>);
  expect(server.sent).toEqual([]);
  fireEvent.click(screen.getByRole("button", { name: "Simulate without it" }));
  await screen.findByText(/^Without it 61 % of the utility instead of 72 %/);
  expect(server.sent.map((one) => one.path)).toEqual(["/api/without?run=demo-1&decision=1"]);
});

test("what was not carried out has nothing to be without", () => {
  render(<ol><DecisionItem decision={aDecision({ came: "not carried out" })} run={run} link="last" /></ol>);
  expect(screen.queryByRole("button")).toBeNull();
});

test("green needs a server that answers, a controller that lives, and figures of now", () => {
  const of = (more: object) => ({ overview: anOverview(), gone: false, ...more }) as Parameters<typeof tone>[0];
  expect(tone(of({}), "fine")).toBe("good");
  expect(tone(of({ gone: true }), "fine")).toBe("gone");
  const over = anOverview();
  expect(tone(of({ overview: { ...over, control: { ...over.control, live: false, life: "ended" } } }), "fine")).toBe("over");
  expect(tone(of({}), "blind")).toBe("bad");
  expect(tone(of({}), null)).toBe("wait");
});
