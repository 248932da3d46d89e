// At first glance: who is in trouble, why, what was done about it and whether it helped.

import { useMemo } from "preact/hooks";
import { Chart, lastShown, type Line } from "../chart";
import type { Act, Decision, Overview, Series, Tenant } from "../api";
import { clock, mean, number, percent, seconds, sentence, signs, span } from "../format";
import { Acts, Bar, Binds, CameBadge, Column, DecisionItem, Outcome, Panel, Stat, StateBadge, wantsWords } from "../parts";
import { Later } from "../later";
import { money } from "../money";
import { Remedy, Waits } from "../remedy";
import { link } from "../route";
import { Rest, Search, useMany } from "../many";
import { useZoomed } from "../shown";
import { places, sharesSlots, tone, useSite } from "../site";
import { AsOf, LastSign, NoCycle, toDo } from "../standing";
import { Story } from "../story";
import { Strips } from "../strips";
import { inCss, SERIES } from "../theme";
import { TimeShown } from "../time";

const MOST_CARDS = 4;
const RECENT = 6;

export function OverviewPage() {
  const site = useSite();
  const { overview, run } = site;
  const { present, decisions } = overview;
  if (present === null) return <NoCycle site={site} />;
  const bad = present.tenants.filter((tenant) => tenant.state !== "fine" && tenant.state !== "resting");
  const recent = decisions.slice(-RECENT).reverse();
  return (
    <>
      <Headline />
      {bad.length > 0 && (
        <section class="cards" aria-label="Tenants in trouble">
          {bad.slice(0, MOST_CARDS).map((tenant, place) => <TroubleCard key={tenant.name} tenant={tenant} overview={overview} run={run} worst={place === 0} />)}
          {bad.length > MOST_CARDS && <p class="quiet more">{bad.length - MOST_CARDS} more are in trouble: they come first in the table of all tenants.</p>}
        </section>
      )}
      <Later of={Story} />
      <OverTime />
      <Panel title="All tenants" aside={<Search of={present.tenants.length} />}>
        <TenantTable tenants={present.tenants} run={run} />
      </Panel>
      <Panel title="Newest decisions" aside={<a href={link("decisions", { run })}>all decisions</a>}>
        {recent.length === 0 && <p class="quiet">{present.note || "There is no decision yet."}</p>}
        <ol class="decisions">
          {recent.map((decision) => <DecisionItem key={decision.number} decision={decision} run={overview.run} link={run} />)}
        </ol>
      </Panel>
    </>
  );
}

function Headline() {
  const site = useSite();
  const { overview } = site;
  const present = overview.present!;
  const decided = overview.decisions.at(-1)?.number ?? 0; // in all the run: only its newest come with the page
  const [most, ...rest] = present.given.split(", ");
  const now = tone(site, present.state);
  return (
    <section class={`headline ${now}`} aria-label="Now">
      <h1><AsOf /><span data-testid="headline">{present.headline}</span></h1>
      <LastSign site={site} />
      {present.shortfall && <p class="lead shortfall" role="status" data-testid="shortfall">{sentence(present.shortfall)}</p>}
      <dl>
        <Stat label="utility" means="utility">
          <span data-testid="utility">{number(present.known_utility)}</span> <small>of {number(present.possible_utility)}{present.utility > present.known_utility && `, ${number(present.utility - present.known_utility)} more by old metrics`}</small>
        </Stat>
        <Stat label="SLOs met" means="SLOs met">
          <span data-testid="met">{present.met}</span> <small>of {present.judged}{present.starting > 0 && `, ${present.starting} starting`}{present.resting > 0 && `, ${present.resting} resting`}</small>
        </Stat>
        <Stat label={sharesSlots(overview) ? "slots" : "threads"} means={sharesSlots(overview) ? "slots" : "threads"}>
          <span data-testid="given">{most}</span> {rest.length > 0 && <small>{rest.join(", ")}</small>}
        </Stat>
        <Stat label="decisions" means="decisions">
          <span data-testid="decided">{number(decided)}</span> <small>{howMany(overview.decisions, decided)}</small>
        </Stat>
      </dl>
    </section>
  );
}

/** How many helped, of those that came with the page; nobody helped or failed before anything is judged. */
function howMany(decisions: Decision[], decided: number): string {
  const judged = decisions.filter(({ came }) => came !== "not judged" && came !== "not judged yet");
  if (decisions.length && !judged.length) return "not judged";
  const newest = decided > decisions.length ? `of the newest ${decisions.length} ` : "";
  return `${judged.filter(({ came }) => came === "better").length} ${newest}helped`;
}

function TroubleCard({ tenant, overview, run, worst }: { tenant: Tenant; overview: Overview; run: string; worst: boolean }) {
  const present = overview.present!;
  const decision = tenant.last_decision;
  const since = tenant.missed_since_s;
  return (
    <article class={`trouble ${tenant.state}`} data-testid="trouble">
      <h2>
        <a href={link("tenant", { run, job: tenant.name })}>{tenant.name}</a> <StateBadge state={tenant.state} />
        <span class="quiet since">{since === null ? "not met yet" : `for ${span(present.at_s - since)}`}</span>
      </h2>
      <dl>
        <dt>Why</dt>
        <dd>{tenant.why}</dd>
        {tenant.binds.length > 0 && (
          <>
            <dt>Binds</dt>
            <dd data-testid="binds"><Binds binds={tenant.binds} /></dd>
          </>
        )}
        {tenant.state === "missing" && (
          <>
            <dt>Remedy</dt>
            <dd><Remedy tenant={tenant} urgent={worst && overview.control.live} /></dd>
          </>
        )}
        <Waits tenant={tenant} />
        <dt>Done</dt>
        <dd>
          {decision === null ? (
            <span class="quiet">{signs(tenant.not_done)}</span>
          ) : (
            <>
              <b>{decision.reason}</b> {signs(decision.text)} <span class="quiet">at {clock(overview.run, decision.at_s)}</span>
              {decision.foretold && <span class="quiet">. Predicted: {signs(decision.foretold)}</span>}
            </>
          )}
        </dd>
        <dt>Helped?</dt>
        <dd>{decision === null ? <span class="quiet">–</span> : <Outcome decision={decision} />}{decision?.verdict && wantsWords(decision) && <div class="quiet">{sentence(decision.verdict)}</div>}</dd>
        {toDo(tenant.state) && (
          <>
            <dt>To do</dt>
            <dd>{toDo(tenant.state)}</dd>
          </>
        )}
      </dl>
    </article>
  );
}

function OverTime() {
  return (
    <Panel title="Over time" aside={<TimeShown />}>
      <Later of={TogetherAndEach} />
      <Later of={SlotsInTime} />
    </Panel>
  );
}

function TogetherAndEach() {
  const { overview, run, zoom, setZoom } = useSite();
  const { totals, decisions } = overview;
  const first = zoom?.[0] ?? totals.at_s[0] ?? 0;
  const last = zoom?.[1] ?? totals.at_s.at(-1) ?? 1;
  const shown = useZoomed(overview, zoom);
  const acts = useActsFrom(totals.at_s[0]);
  // Charts draw again when their lines are others: a page that is shown again for another reason keeps them.
  const within = useMemo(() => decisions.filter((decision) => decision.at_s >= (totals.at_s[0] ?? 0)), [decisions, totals]);
  const utility = useMemo<Line[]>(
    () => [
      { label: "maximum", values: totals.values.possible_utility ?? totals.values.max_utility ?? [], colour: "ink-3", dash: true, width: 1.2, stepped: true },
      { label: "utility", values: totals.values.utility ?? [], colour: "accent", fill: "accent-soft", width: 2 },
    ],
    [totals],
  );
  const order = new Map(overview.present?.tenants.map((tenant, place) => [tenant.name, place]));
  const byTrouble = Object.entries(shown.jobs).toSorted((a, b) => (order.get(a[0]) ?? 1e9) - (order.get(b[0]) ?? 1e9));
  return (
    <>
      <Chart title="Utility against its maximum" means="utility" at_s={totals.at_s} lines={utility} run={overview.run} marks={within} acts={acts} sync="overview" height={190} margins zoom={zoom} setZoom={setZoom} />
      <p class="marks quiet">
        Marks are decisions: <span class="came good">▲ helped</span> <span class="came bad">▼ did not</span> <span class="came plain">● no change, or not judged</span>
      </p>
      <Acts acts={zoom ? acts.filter((act) => act.at_s >= first && act.at_s <= last) : acts} run={overview.run} />
      <Strips jobs={byTrouble} from_s={first} to_s={last} run={run} />
    </>
  );
}

/** What people asked from then on. */
export function useActsFrom(first = 0): Act[] {
  const { acts } = useSite();
  return useMemo(() => acts.filter((act) => act.at_s >= first), [acts, first]);
}

function SlotsInTime() {
  return <Slots overview={useSite().overview} beside />;
}

/** Who has which weight in sharing the slots, or how many threads, stacked; the largest by themselves, the rest together. */
export function Slots({ overview, beside = false }: { overview: Overview; beside?: boolean }) {
  const { totals, jobs, decisions } = overview;
  const { zoom, setZoom } = useSite();
  const at_s = totals.at_s;
  const weighs = sharesSlots(overview);
  const stacked = useMemo(() => stackedSlots(at_s, jobs), [at_s, jobs]);
  const lines = useMemo<Line[]>(
    () => stacked.toReversed().map((line) => ({ label: "", values: line.values, colour: "surface", fill: line.colour, stepped: true })),
    [stacked],
  );
  const acts = useActsFrom(at_s[0]);
  const marked = useMemo(() => decisions.filter((decision) => decision.at_s >= (at_s[0] ?? 0)), [decisions, at_s]);
  const last = lastShown({ at_s, zoom });
  return (
    <>
      <Chart
        title={weighs ? "Weight for dividing the slots, by tenant" : "Threads by tenant"}
        means={weighs ? "weight" : "threads"}
        at_s={at_s}
        lines={lines}
        run={overview.run}
        marks={marked}
        acts={acts}
        sync="overview"
        height={170}
        margins={beside}
        zoom={zoom}
        setZoom={setZoom}
        filled
        keys={stacked.map((line) => ({ label: `${line.name} ${number(line.own[last] ?? null)}`, colour: line.colour, dash: false }))}
        about={stacked.map((line) => `${line.name} has ${number(line.own[last] ?? null)}`).join(", ")}
      />
      <p class={beside ? "legend below" : "legend"}>
        {stacked.map((line) => (
          <span class="key" key={line.name}>
            <i class="swatch" style={{ "--swatch": inCss(line.colour) }} />
            {line.name} <b>{number(line.own[last] ?? null)}</b>
          </span>
        ))}
      </p>
    </>
  );
}

interface Layer {
  name: string;
  colour: string;
  own: (number | null)[];
  values: number[]; // its upper edge in the stack
}

/** The layers of the stack. Only those that are shown by themselves are put on the chart's times one by one. */
export function stackedSlots(at_s: number[], jobs: Overview["jobs"]): Layer[] {
  const place = places(jobs);
  const held = new Map(Object.entries(jobs).map(([name, series]) => [name, (mean(series.values.slots) ?? 0) * series.at_s.length]));
  const ranked = Object.keys(jobs).toSorted((a, b) => held.get(b)! - held.get(a)!);
  const many = ranked.length > SERIES;
  const single = many ? ranked.slice(0, SERIES - 1) : ranked;
  const rest = ranked.slice(single.length);
  const layers = single.map((name, index) => ({ name, own: aligned(slotsOf(jobs[name]!), at_s), colour: `c${many ? index : place.get(name)! % SERIES}` }));
  if (rest.length) layers.push({ name: `${rest.length} others`, own: together(rest.map((name) => slotsOf(jobs[name]!)), at_s), colour: `c${SERIES - 1}` });
  const floor = at_s.map(() => 0);
  return layers.map((layer) => {
    layer.own.forEach((value, index) => {
      floor[index] = floor[index]! + (value ?? 0);
    });
    return { ...layer, values: [...floor] };
  });
}

interface Held {
  at_s: number[];
  slots: (number | null)[];
}

function slotsOf(series: Series): Held {
  return { at_s: series.at_s, slots: series.values.slots ?? [] };
}

/** What many hold together. Those that were seen at the same times, as nearly all are, are summed up before they are put on the chart's. */
function together(held: Held[], at_s: number[]): number[] {
  const sums: { at_s: number[]; slots: number[] }[] = [];
  for (const one of held) {
    let sum = sums.find((known) => same(known.at_s, one.at_s));
    if (sum === undefined) sums.push((sum = { at_s: one.at_s, slots: one.at_s.map(() => 0) }));
    for (let index = 0; index < sum.slots.length; index += 1) sum.slots[index]! += one.slots[index] ?? 0;
  }
  const columns = sums.map((sum) => aligned(sum, at_s));
  return at_s.map((_, index) => columns.reduce((sum, column) => sum + (column[index] ?? 0), 0));
}

function same(times: number[], others: number[]): boolean {
  return times.length === others.length && times.every((at, index) => at === others[index]);
}

function aligned({ at_s: own, slots }: Held, at_s: number[]): (number | null)[] {
  if (own.length === at_s.length) return slots;
  let index = -1;
  return at_s.map((at) => {
    while (index + 1 < own.length && own[index + 1]! <= at) index += 1;
    return index < 0 ? null : (slots[index] ?? null);
  });
}

function TenantTable({ tenants, run }: { tenants: Tenant[]; run: string }) {
  const site = useSite();
  const now = tone(site, "fine");
  const price = site.overview.present?.price;
  const weighs = sharesSlots(site.overview);
  const many = useMany(tenants, (tenant) => tenant.name);
  return (
    <>
    <div class="scroll" tabIndex={0} role="region" aria-label="All tenants, a table">
      <table class="tenants">
        <thead>
          <tr>
            <th scope="col">tenant</th>
            <th scope="col">state</th>
            <Column of="asks for" text />
            <Column of="has" text />
            <Column of="utility" text />
            <Column of={weighs ? "its share" : "threads"}>{weighs ? "share, slots" : "threads"}</Column>
            <Column of="arriving">arriving, rows/s</Column>
            <Column of="processed" />
            <Column of="waiting">waiting, rows</Column>
            {price && <Column of="cost">costs an hour</Column>}
            <th scope="col">last decision</th>
          </tr>
        </thead>
        <tbody>
          {many.shown.map((tenant) => (
            <tr key={tenant.name} class={tenant.state} data-job={tenant.name}>
              <th scope="row"><a href={link("tenant", { run, job: tenant.name })}>{tenant.name}</a></th>
              <td><StateBadge state={tenant.state} /></td>
              <td data-label="asks for">{signs(tenant.intent)}</td>
              <td data-label="has">{has(tenant)}{tenant.beside && <small class="beside">{sentence(tenant.beside)}</small>}</td>
              <td data-label="utility" class="utility">
                <Bar share={tenant.utility === null ? null : tenant.utility / tenant.max_utility} kind={!tenant.met ? "bad" : now === "good" ? "good" : "plain"} label={`utility ${number(tenant.utility)} of ${number(tenant.max_utility)}`} />
                <span data-testid="job-utility">{number(tenant.utility)}</span> <small class="quiet">of {number(tenant.max_utility)}</small>
              </td>
              <td data-label={weighs ? "share, slots" : "threads"} class="n" title={tenant.share.text} data-testid="job-slots">
                {tenant.share.slots === null ? tenant.share.text : number(tenant.share.slots)}
                {tenant.share.slots !== null && <small class="quiet"> weight {number(tenant.share.weight)}</small>}
              </td>
              <td data-label="arriving, rows/s" class="n">{number(tenant.arrival_rps)}</td>
              <td data-label="processed" class="n">{number(tenant.processed_rps)}</td>
              <td data-label="waiting, rows" class="n">{number(tenant.backlog_rows)}</td>
              {price && <td data-label="costs an hour" class="n" data-testid="job-cost">{tenant.cost_hour == null ? "–" : money(price, tenant.cost_hour)}</td>}
              <td data-label="last decision">
                {tenant.last_decision ? <><CameBadge came={tenant.last_decision.came} /> <span class="quiet">{tenant.last_decision.reason}</span></> : <span class="quiet">–</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    <Rest many={many} one="tenants" />
    </>
  );
}

/** What a tenant has of what it asked for, objective by objective. */
export function has(tenant: Tenant): string {
  const told = tenant.targets.filter((target) => target.now !== null).map((target) =>
    target.kind === "juice" ? percent(target.now) : `${target.kind === "latency" && tenant.latency_estimated ? "~" : ""}${seconds(target.now)}`,
  );
  return told.length ? told.join(", ") : "–";
}
