// The chart in each of its states, with made figures: a page to look at after a change of it, #/stories.

import type { Act, Decision, Figure, State } from "./api";
import { Chart, type ChartProps } from "./chart";
import { percent, seconds } from "./format";
import { Panel, StateBadge } from "./parts";

export interface Story {
  name: string;
  state: State | null; // of the tenant; null where no tenant is told of
  shows: string;
  chart: Omit<ChartProps, "run" | "title">;
}

const LENGTH = 60;
const STEP_S = 10;
const AT_S = Array.from({ length: LENGTH }, (_, place) => place * STEP_S);
const RUN = { started_at: null };

/** A latency that waves around `low`, and stands at `high` from one place to another. */
function wave(low: number, high = low, from = 0, to = 0): number[] {
  return AT_S.map((_, place) => (place >= from && place < to ? high : low) * (1 + 0.12 * Math.sin(place / 3)));
}

function until(values: number[], place: number): Figure[] {
  return values.map((value, index) => (index < place ? value : null));
}

const TARGET = { label: "target", values: AT_S.map(() => 2), colour: "bad", dash: true, stepped: true };
const p95 = (values: Figure[]) => ({ label: "p95", values, colour: "accent", width: 2 });

function decided(number: number, at_s: number, came: Decision["came"], text: string): Decision {
  return {
    number, at_s, reason: "Reconfigured", jobs: ["ads"], changes: [], text, why: "ads misses its latency", foretold: "", utility_before: 40, expected_utility: 60,
    came, verdict: null, utility_came: null, judged_at_s: null, errors: [], again: false,
  };
}

const DECIDED = [decided(1, 200, "worse", "ads: weight 2 -> 3"), decided(2, 300, "better", "ads: weight 3 -> 6"), decided(3, 480, "not judged yet", "geo: weight 4 -> 3")];
const ACTS: Act[] = [{ at_s: 390, who: "ann", text: "ann paused governing", job: null }];

export const STORIES: Story[] = [
  { name: "fine", state: "fine", shows: "It has what it asks for: the line stays below the target.", chart: { at_s: AT_S, lines: [p95(wave(1.1)), TARGET], format: seconds } },
  {
    name: "missing", state: "missing", shows: "It misses what it asks for; decisions are marked by what came of them (▼ worse, ▲ better, ● open), acts of people by ◆.",
    chart: { at_s: AT_S, lines: [p95(wave(1.2, 4.5, 15, 48)), TARGET], format: seconds, marks: DECIDED, acts: ACTS },
  },
  { name: "blind", state: "blind", shows: "No figures any more: the line ends, and nothing is drawn in its place.", chart: { at_s: AT_S, lines: [p95(until(wave(1.4), 35)), TARGET], format: seconds } },
  {
    name: "stale", state: "stale", shows: "Figures of another time: the line ends before the present, which the upright line marks.",
    chart: { at_s: AT_S, lines: [p95(until(wave(1.4), 52)), TARGET], format: seconds, now_s: (LENGTH - 1) * STEP_S },
  },
  { name: "starting", state: "starting", shows: "The first figures; what it has not lost yet is not drawn.", chart: { at_s: AT_S, lines: [p95(AT_S.map((_, place) => (place > 54 ? 1.6 : null))), TARGET], format: seconds } },
  { name: "empty", state: null, shows: "Nothing is recorded yet: a sentence, and no empty axes.", chart: { at_s: [], lines: [p95([])] } },
  { name: "outage", state: null, shows: "The controller was away: a gap, which no line crosses.", chart: { at_s: AT_S, lines: [p95(wave(1.3).map((value, place) => (place > 20 && place < 34 ? null : value)))], format: seconds } },
  {
    name: "changed target", state: null, shows: "What was asked for changed: the target is a step.",
    chart: { at_s: AT_S, lines: [p95(wave(1.6)), { ...TARGET, values: AT_S.map((_, place) => (place < 25 ? 3 : 1)) }], format: seconds },
  },
  {
    name: "ahead", state: null, shows: "A what-if: the past, the present, what is foretold with its interval; the last tick is whole.",
    chart: {
      at_s: AT_S.map((at) => at - 300), relative: true, now_s: 0, max: 1.05, format: percent, bands: [[2, 3]],
      lines: [
        { label: "as it was", values: until(wave(0.6), 31), colour: "ink-3", width: 2 },
        { label: "what if", values: AT_S.map((_, place) => (place < 30 ? null : 0.85)), colour: "accent", width: 2, dash: true },
        { label: "high", values: AT_S.map((_, place) => (place < 30 ? null : 0.95)), colour: "band" },
        { label: "low", values: AT_S.map((_, place) => (place < 30 ? null : 0.7)), colour: "band" },
      ],
    },
  },
  {
    name: "stack", state: null, shows: "Slots of tenants one above the other, each in its own colour.",
    chart: { at_s: AT_S, filled: true, lines: [3, 2, 1].map((edge) => ({ label: `tenant ${edge}`, values: AT_S.map((_, place) => edge * 2 + (place > 30 ? edge : 0)), colour: `c${edge}`, fill: `c${edge}`, stepped: true })) },
  },
];

export default function Stories() {
  return (
    <article class="stories">
      <h1>The chart in each of its states</h1>
      {STORIES.map((story) => (
        <Panel key={story.name} title={story.name} aside={story.state ? <StateBadge state={story.state} /> : undefined}>
          <p class="quiet">{story.shows}</p>
          <Chart {...story.chart} title={`Latency: ${story.name}`} run={RUN} height={150} />
        </Panel>
      ))}
    </article>
  );
}
