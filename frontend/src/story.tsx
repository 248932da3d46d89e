// What happened in the time that is shown: to whom, what was done about it and why, and what it cost.

import type { Came, Decision, Figure, Overview, Series } from "./api";
import { clock, mean, number, percent, signs, span } from "./format";
import { money, spent } from "./money";
import { Panel } from "./parts";
import { link } from "./route";
import { useZoomed } from "./shown";
import { sharesSlots, useSite } from "./site";
import { Brought, useWorth } from "./worth";

const NAMED = 3;
const ALWAYS = 0.995; // of the time: as often as windows of counts can tell

export function Story() {
  const { overview: all, run, zoom } = useSite();
  const overview = useZoomed(all, zoom);
  const { totals } = overview;
  const worth = useWorth();
  const first = totals.at_s[0] ?? 0;
  const length_s = zoom ? zoom[1] - zoom[0] : (totals.at_s.at(-1) ?? first) - first;
  const decisions = overview.decisions.filter((decision) => decision.at_s >= first);
  const share = mean(totals.at_s.map((_, index) => ratio(totals.values.utility?.[index], totals.values.possible_utility?.[index])));
  const starting = overview.present?.starting ?? 0;
  if (share === null || length_s <= 0) return null;
  return (
    <Panel title="What happened" aside={<span class="quiet">in the {span(length_s)} shown</span>}>
      <dl class="story" data-testid="story">
        <dt>In all</dt>
        <dd>Tenants had <b>{percent(share)}</b> of the utility that they could have{starting > 0 && <>; <b>{starting}</b> {starting === 1 ? "is" : "are"} starting and {starting === 1 ? "counts" : "count"} once {starting === 1 ? "it has" : "they have"} figures</>}.</dd>
        <dt>To whom</dt>
        <dd><Whom jobs={overview.jobs} run={run} /></dd>
        <dt>Done, and why</dt>
        <dd><Done overview={overview} decisions={decisions} run={run} more={decisions.length === all.decisions.length && (decisions[0]?.number ?? 1) > 1} /></dd>
        <Brought worth={worth} />
        <dt>At what cost</dt>
        <dd><Cost overview={overview} decisions={decisions} /></dd>
      </dl>
    </Panel>
  );
}

function Whom({ jobs, run }: { jobs: Overview["jobs"]; run: string }) {
  const known = Object.entries(jobs).map(([name, series]) => ({ name, met: mean(series.values.met ?? []), unseen: mean(series.values.unseen ?? []) ?? 0 }));
  const seen = known.filter((one) => one.met !== null).length;
  const short = known.filter((one) => one.met !== null && one.met < ALWAYS).sort((a, b) => a.met! - b.met!);
  const blind = known.filter((one) => one.unseen > 0).sort((a, b) => b.unseen - a.unseen);
  if (!seen) return <>No tenant has had metrics.</>;
  if (!short.length && blind.length) return <>No tenant missed its intent.<Blind blind={blind} run={run} /></>;
  if (!short.length) return <>Every tenant met its intent whenever it was measured.</>;
  return (
    <>
      {short.slice(0, NAMED).map((one, place) => (
        <span key={one.name}>
          {place > 0 && ", "}
          <a href={link("tenant", { run, job: one.name })}>{one.name}</a> had what it asked for <b>{percent(one.met)}</b> of the time
        </span>
      ))}
      {short.length > NAMED && `, ${short.length - NAMED} more not always`}
      {short.length < seen && `; the other ${seen - short.length} ${blind.length ? "whenever they were seen" : "always"}`}
      {seen < known.length && `; ${known.length - seen} had no metrics`}.
      {blind.length > 0 && <Blind blind={blind} run={run} />}
    </>
  );
}

/** Of whom nobody knew how they did: that is no good news, whatever was seen before and after. */
function Blind({ blind, run }: { blind: { name: string; unseen: number }[]; run: string }) {
  return (
    <>
      {" "}Without figures:{" "}
      {blind.slice(0, NAMED).map((one, place) => (
        <span key={one.name}>
          {place > 0 && ", "}
          <a href={link("tenant", { run, job: one.name })}>{one.name}</a> for <b>{percent(one.unseen)}</b> of the time
        </span>
      ))}
      {blind.length > NAMED && `, and ${blind.length - NAMED} more`}.
    </>
  );
}

const HELPED = "helped";
const TURNED_OUT: [Came[], string][] = [
  [["better"], HELPED],
  [["worse", "not done"], "did not"],
  [["no change"], "changed nothing"],
  [["not judged yet"], "not judged yet"],
  [["not judged"], "not judged"],
  [["not carried out"], "not carried out"],
];

/** `more`: earlier ones may lie in the time shown, too, and did not come with the page. */
function Done({ overview, decisions, run, more }: { overview: Overview; decisions: Decision[]; run: string; more: boolean }) {
  if (!decisions.length) return <>Nothing{overview.present?.note ? `: ${signs(overview.present.note)}` : ""}.</>;
  const judged = decisions.some(({ came }) => came !== "not judged" && came !== "not judged yet");
  const told = TURNED_OUT.map(([cames, words]) => ({ count: decisions.filter(({ came }) => cames.includes(came)).length, words }))
    .filter(({ count, words }) => count > 0 || (words === HELPED && judged))
    .map(({ count, words }) => `${count} ${words}`);
  const best = decisions.filter((decision) => decision.came === "better").sort((a, b) => gain(b) - gain(a))[0];
  const last = decisions.filter(({ came }) => came !== "not done" && came !== "not carried out").at(-1);
  return (
    <>
      {more ? `The newest ${decisions.length}` : decisions.length} {decisions.length === 1 ? "decision" : "decisions"}: {told.join(", ")}.{" "}
      {best && (
        <>
          The one that helped most, <What decision={best} overview={overview} run={run} />; utility {number(best.utility_before)} → {number(best.utility_came)}.
        </>
      )}
      {!best && last && (
        <>
          The last one, <What decision={last} overview={overview} run={run} />{last.foretold && `. Predicted: ${signs(last.foretold)}`}.
        </>
      )}
    </>
  );
}

function What({ decision, overview, run }: { decision: Decision; overview: Overview; run: string }) {
  return (
    <>
      at {clock(overview.run, decision.at_s)}: <a href={link("decisions", { run, job: decision.jobs[0] })}>{signs(decision.text)}</a>, because {signs(decision.why.replace(/[.\s]+$/, ""))}
    </>
  );
}

function Cost({ overview, decisions }: { overview: Overview; decisions: Decision[] }) {
  const { totals } = overview;
  const most = mean(totals.values.possible_utility ?? []); // as above: who starts has lost nothing yet
  const had = mean(totals.values.utility ?? []);
  const paid = whoPaid(overview);
  return (
    <>
      {!sharesSlots(overview) && <Threads overview={overview} decisions={decisions} />}
      <b>{number(most === null || had === null ? null : most - had)}</b> of {number(most)} utility was missing on average
      {paid.slice(0, NAMED).map((one, place) => (
        <span key={one.name}>
          {place ? ", " : ": "}{one.name} lacked <b>{number(one.lacked)}</b> of its {number(one.most)}
        </span>
      ))}
      {paid.length > NAMED && ` and ${paid.length - NAMED} more`}.
      <Money overview={overview} />
    </>
  );
}

/** Whose utility it was that was missing, the most first. */
function whoPaid({ present, jobs }: Overview): { name: string; lacked: number; most: number }[] {
  return (present?.tenants ?? [])
    .map(({ name, max_utility: most }) => ({ name, most, lacked: most * (1 - (mean(jobs[name]?.values.share ?? []) ?? 1)) }))
    .filter(({ lacked, most }) => lacked > (1 - ALWAYS) * most)
    .sort((a, b) => b.lacked - a.lacked);
}

/** Threads do cost; a weight costs nothing by itself, the slots are there whoever has them. */
function Threads({ overview, decisions }: { overview: Overview; decisions: Decision[] }) {
  const { totals, jobs } = overview;
  const all_s = lasted(totals.at_s) || 1;
  const held = Object.values(jobs).reduce((sum, series: Series) => sum + (mean(series.values.slots ?? []) ?? 0) * Math.min(1, lasted(series.at_s, totals.at_s) / all_s), 0);
  const moved = decisions
    .filter((decision) => decision.came !== "not carried out" && decision.came !== "not done")
    .flatMap((decision) => decision.changes)
    .filter((change) => change.kind === "slots" || change.kind === "tasks")
    .reduce((sum, change) => sum + Math.abs((change.after ?? 0) - (change.before ?? 0)), 0);
  return <><b>{number(held)}</b> threads held on average; decisions changed them by {number(moved)} in all; </>;
}

/** For how long there were figures: each stands for as long as lies between two, a single one as in those of all. */
function lasted(at_s: number[], all: number[] = at_s): number {
  const of = at_s.length > 1 ? at_s : all;
  return at_s.length ? between(at_s) + (of.length > 1 ? between(of) / (of.length - 1) : 1) : 0;
}

function between(at_s: number[]): number {
  return (at_s.at(-1) ?? 0) - (at_s[0] ?? 0);
}

/** What was paid, and for whom in vain; nothing where no price is given. */
function Money({ overview }: { overview: Overview }) {
  const price = overview.present?.price;
  const found = spent(overview);
  if (!price || !found.length) return null;
  const sum = (values: number[]): number => values.reduce((one, other) => one + other, 0);
  const vain = found.filter((one) => one.missed > 0).sort((a, b) => b.missed - a.missed);
  return (
    <span data-testid="money">
      {" "}The slots cost <b>{money(price, sum(found.map((one) => one.cost)))}</b>: {found.slice(0, NAMED).map((one) => `${one.name} ${money(price, one.cost)}`).join(", ")}
      {found.length > NAMED && `, ${found.length - NAMED} more the rest`}
      {vain.length > 0 && <>; while they missed what they ask for <b>{money(price, sum(vain.map((one) => one.missed)))}</b> ({vain.slice(0, NAMED).map((one) => `${one.name} ${money(price, one.missed)}`).join(", ")})</>}.
    </span>
  );
}

function gain(decision: Decision): number {
  return (decision.utility_came ?? decision.utility_before) - decision.utility_before;
}

function ratio(value: Figure | undefined, most: Figure | undefined): Figure {
  return value == null || !most ? null : value / most;
}
