// One tenant: what it asked for, what it gets, why, and what was done.

import { useMemo, useState } from "preact/hooks";
import { Chart, type Line } from "../chart";
import { changedIntent, type Act, type Figure, type Forecast, type Job, type Stage, type Target, type Tenant } from "../api";
import { bytes, number, percent, seconds, sentence, signs, span, tenths } from "../format";
import { Graph } from "../graph";
import { Levers } from "../levers";
import { useAnswer } from "../live";
import { money } from "../money";
import { Acts, Binds, Column, DecisionItem, Panel, Problem, Stat, StateBadge } from "../parts";
import { NextNine, Remedy } from "../remedy";
import { incidentLink, link } from "../route";
import { useAct } from "../controls";
import { tone, useSite } from "../site";
import { AsOf, LastSign, toDo } from "../standing";
import { StartNow } from "../starting";
import { TimeShown } from "../time";
import { has, useActsFrom } from "./overview";

export function TenantPage({ job }: { job: string | undefined }) {
  const { overview } = useSite();
  const name = job ?? overview.present?.tenants[0]?.name ?? Object.keys(overview.jobs)[0];
  if (name === undefined) return <p class="quiet">There is no tenant yet.</p>;
  return <One key={name} name={name} />;
}

function One({ name }: { name: string }) {
  const { overview, run, span_s, zoom } = useSite();
  const last = overview.present?.at_s ?? 0;
  const since = span_s === null ? null : last - span_s;
  // Of a part of the time there are as many points as of all of it: who zooms in sees more.
  const asked = zoom ? { since: zoom[0], until: zoom[1] } : { since, until: null };
  const [found, error] = useAnswer<Job>("job", { run: overview.run.id, job: name, ...asked, points: 400 }, zoom ? 0 : overview.present?.cycle);
  const live = overview.present?.tenants.find((tenant) => tenant.name === name) ?? found?.tenant ?? null;
  return (
    <>
      <div class="row">
        <Chooser name={name} />
        <a class="button" href={incidentLink(overview, { job: name, zoom, span_s })}>Incident report</a>
      </div>
      {live ? <Head tenant={live} at_s={last} job={found} /> : <h1>{error && !(name in overview.jobs) ? `There is no tenant “${name}” in this run.` : name}</h1>}
      {error && <Problem text={error} />}
      {found && <Body job={found} tenant={live} run={run} />}
      {found?.tenant && <Levers levers={found.tenant.levers} />}
      {live && <IntentForm key={live.intent} tenant={live} />}
    </>
  );
}

function Chooser({ name }: { name: string }) {
  const { overview, run } = useSite();
  const names = overview.present?.tenants.map((tenant) => tenant.name) ?? Object.keys(overview.jobs);
  return (
    <label class="chooser">
      Tenant{" "}
      <select value={name} onChange={(event) => { location.hash = link("tenant", { run, job: event.currentTarget.value }); }}>
        {!names.includes(name) && <option>{name}</option>}
        {names.map((one) => <option key={one}>{one}</option>)}
      </select>
    </label>
  );
}

function Head({ tenant, at_s, job }: { tenant: Tenant; at_s: number; job: Job | null }) {
  const site = useSite();
  const price = site.overview.present?.price;
  const now = tone(site, tenant.state);
  return (
    <section class={`headline ${now}`} aria-label="Now">
      <h1><AsOf />{tenant.name} <StateBadge state={tenant.state} /></h1>
      <LastSign site={site} />
      <p class="lead">
        Asks for {signs(tenant.intent)}; has {has(tenant)}.{" "}
        {tenant.why && <b>{tenant.why}</b>}{" "}
        {tenant.beside && <b>{sentence(tenant.beside)}</b>}{" "}
        {tenant.missed_since_s !== null && <span class="quiet">For {span(at_s - tenant.missed_since_s)}.</span>}
      </p>
      <StartNow key={`${tenant.name} ${tenant.trouble}`} tenant={tenant} />
      {tenant.binds.length > 0 && <div class="bound"><b>What limits it</b><Binds binds={tenant.binds} /></div>}
      {tenant.state === "missing" && <div class="bound"><Remedy tenant={tenant} urgent={false} /></div>}
      {tenant.targets.some((target) => target.percentile !== null) && <div class="bound"><NextNine key={tenant.name} tenant={tenant} /></div>}
      {toDo(tenant.state) && <p class="bound"><b>To do</b> {toDo(tenant.state)}</p>}
      <dl>
        <Stat label="utility" means="utility">{number(tenant.utility)} <small>of {number(tenant.max_utility)}</small></Stat>
        <ShareStats tenant={tenant} />
        <Stat label="arriving" means="arriving">{number(tenant.arrival_rps)} <small>rows/s</small></Stat>
        <Stat label="processed" means="processed">{number(tenant.processed_rps)} <small>rows/s</small></Stat>
        <Stat label="waiting" means="waiting">{number(tenant.backlog_rows)} <small>rows</small></Stat>
        {tenant.cost_hour !== null && price && <Stat label="costs" means="cost">{money(price, tenant.cost_hour)} <small>an hour</small></Stat>}
        {tenant.prediction_error && (
          <Stat label="predicted utility off by" means="off by">
            <span data-testid="prediction-error">{tenths(tenant.prediction_error.share)}</span> <small>over {number(tenant.prediction_error.of)} {tenant.prediction_error.of === 1 ? "comparison" : "comparisons"}</small>
          </Stat>
        )}
        {tenant.budget && (
          <Stat label="error budget left" means="error budget" kind={tenant.budget.left < 0.5 ? "bad" : ""}>
            <span data-testid="budget" title={tenant.budget.text}>{percent(Math.max(0, tenant.budget.left))}</span>{" "}
            <small>{number(tenant.budget.bad)} bad of {number(tenant.budget.allowed)} windows of {span(tenant.budget.windows_s)} that may be, over {span(tenant.budget.over_s)}</small>
          </Stat>
        )}
        {job?.state_bytes != null && <Stat label="kept state" means="kept state">{bytes(job.state_bytes)}</Stat>}
        {job?.recovery_s != null && (
          <Stat label="would recover in" means="recovery" kind={job.recovery_target_s !== null && job.recovery_s > job.recovery_target_s ? "bad" : ""}>
            {seconds(job.recovery_s)} {job.recovery_target_s !== null && <small>of {seconds(job.recovery_target_s)}</small>}
          </Stat>
        )}
        {job?.recoveries.map((one) => (
          <Stat key={one.lost} label={`${one.lost} lost: back in`} means="recovery">
            <span data-testid={`recovery-${one.lost}`}>{one.seconds === null ? "never" : seconds(one.seconds)}</span>{" "}
            {one.low_s !== null && one.high_s !== null && (
              <small>
                nine in ten {seconds(one.low_s)} to {seconds(one.high_s)}
              </small>
            )}
          </Stat>
        ))}
      </dl>
    </section>
  );
}

/** Weight, the slots that it stands for, how busy these are and the cores that its tasks used: each by itself. */
function ShareStats({ tenant }: { tenant: Tenant }) {
  const { share } = tenant;
  const most = tenant.max_slots !== null && <small>of at most {tenant.max_slots}</small>;
  if (share.weight === null) return <Stat label="threads" means="threads">{number(tenant.slots)} {most}</Stat>;
  return (
    <>
      <Stat label="weight" means="weight">{number(share.weight)} <small>of {number(share.weights)} in all</small></Stat>
      {share.slots !== null && <Stat label="its share" means="its share">{number(share.slots)} <small>of {number(share.of_slots)} slots</small></Stat>}
      {share.busy !== null && (
        <Stat label="busy" means="busy">
          <span data-testid="busy">{percent(Math.min(1, share.busy))}</span> <small>of its share</small>
        </Stat>
      )}
      {share.used_slots !== null && <Stat label="slots used" means="slots used">{number(share.used_slots)}</Stat>}
      {share.cores !== null && <Stat label="cores used" means="cores used">{number(share.cores)}</Stat>}
    </>
  );
}

const QUANTILES = [["p99", "latency_p99_s", "c3"], ["p95", "latency_p95_s", "c1"], ["p50", "latency_p50_s", "c0"], ["mean", "latency_mean_s", "c5"]] as const;

/** What is known of its latency over time, beside what was asked for. */
export function latencyLines(job: Job): Line[] {
  const { values } = job.series;
  const known = QUANTILES.filter(([, column]) => (values[column] ?? []).some((value) => value !== null));
  return [...known.map(([label, column, colour]) => ({ label, values: values[column] ?? [], colour })), ...targetLines(job, "latency")];
}

function Body({ job, tenant, run }: { job: Job; tenant: Tenant | null; run: string }) {
  const { at_s, values } = job.series;
  const { zoom, setZoom } = useSite();
  const name = tenant?.name;
  const all = useActsFrom(at_s[0]);
  const acts = useMemo(() => all.filter((act) => act.job === null || act.job === name), [all, name]);
  const marks = job.decisions.filter((decision) => decision.at_s >= (at_s[0] ?? 0));
  const weighs = tenant?.share.weight != null;
  const common = { at_s, run: job.run, sync: "tenant", height: 170, acts, zoom, setZoom, ...(name === undefined ? {} : { of: name }) };
  const known = (name: string): boolean => (values[name] ?? []).some((value) => value !== null);
  return (
    <>
      <Panel title="Over time" aside={<TimeShown />}>
        <div class="grid">
          <Chart {...common} title="Latency" means="latency" lines={latencyLines(job)} format={seconds} marks={marks} />
          {known("juice") && <Chart {...common} title="Juice: share of the input processed" means="juice" lines={[{ label: "juice", values: values.juice ?? [], colour: "accent" }, ...targetLines(job, "juice")]} format={percent} max={1.05} marks={marks} />}
          <Arrivals job={job} common={common} />
          <Chart {...common} title="Backlog" means="waiting" lines={[{ label: "rows waiting", values: values.backlog_rows ?? [], colour: "c3", fill: "accent-soft" }]} marks={marks} />
          <Chart {...common} title={weighs ? "Weight for dividing the slots" : "Threads"} means={weighs ? "weight" : "threads"} lines={[{ label: weighs ? "weight" : "threads", values: values.slots ?? [], colour: "c5", stepped: true, width: 2 }]} marks={marks} />
          <Chart {...common} title="Utility" means="utility" lines={[{ label: "maximum", values: values.max_utility ?? [], colour: "ink-3", dash: true, stepped: true }, { label: "utility", values: values.utility ?? [], colour: "accent", width: 2 }]} marks={marks} />
        </div>
        <Acts acts={acts.filter((act) => zoom === null || (act.at_s >= zoom[0] && act.at_s <= zoom[1]))} run={job.run} />
      </Panel>
      <Panel title="Operators" aside={<span class="quiet">coloured by how busy each is</span>}>
        <Graph operators={job.operators} edges={job.edges} share={tenant?.share ?? null} />
        {job.stages.length > 0 && <Stages stages={job.stages} slotsOf={() => slotsOf(tenant)} />}
      </Panel>
      <Panel title="Its decisions">
        {job.decisions.length === 0 && <p class="quiet">Nothing was decided about this tenant.</p>}
        <ol class="decisions">
          {job.decisions.slice(-20).reverse().map((decision) => <DecisionItem key={decision.number} decision={decision} run={job.run} link={run} />)}
        </ol>
      </Panel>
    </>
  );
}

/** A step line for each target of that kind that was ever asked for, over the time in which it held. */
export function targetLines(job: Job, kind: Target["kind"]): Line[] {
  const percentiles = [...new Set(job.asked.flatMap(({ targets }) => targets.filter((target) => target.kind === kind).map((target) => target.percentile)))];
  const lines = percentiles.map((percentile) => {
    const name = percentile === null ? "mean" : `p${percentile}`;
    const label = percentiles.length === 1 ? "target" : `${name} target`;
    const colour = (percentiles.length > 1 && QUANTILES.find(([quantile]) => quantile === name)?.[2]) || "bad"; // of several each as its quantile
    return { label, values: held(job, (target) => target.kind === kind && target.percentile === percentile), colour, dash: true, stepped: true };
  });
  return lines.filter((line) => line.values.some((value) => value !== null));
}

/** The target that held at each instant, as what was asked for changed; none where it was not asked for at all. */
function held(job: Job, wanted: (target: Target) => boolean): Figure[] {
  let place = 0;
  return job.series.at_s.map((at) => {
    while (place + 1 < job.asked.length && job.asked[place + 1]!.from_s <= at) place += 1;
    return job.asked[place]?.targets.find(wanted)?.target ?? null;
  });
}

/** The slots, or threads, that a stage's share of time is of. */
export function slotsOf(tenant: Tenant | null | undefined): number | null {
  return tenant ? (tenant.share.slots ?? tenant.slots) : null;
}

function Arrivals({ job, common }: { job: Job; common: { at_s: number[]; run: Job["run"]; sync: string; height: number; acts: Act[]; of?: string; zoom: [number, number] | null; setZoom: (zoom: [number, number] | null) => void } }) {
  const { values } = job.series;
  const lines = [
    { label: "arriving", values: values.arrival_rps ?? [], colour: "c0", width: 2 },
    { label: "processed", values: values.processed_rps ?? [], colour: "c1" },
  ];
  if (job.forecast === null) return <Chart {...common} title="Rows per second" means="arriving" lines={lines} />;
  const { at_s, lines: all, bands } = foreseen(job.series.at_s, lines, job.forecast);
  const { level, method } = job.forecast;
  const about = `Forecast by ${method}${level === null ? "" : `, ${percent(level)} interval`}.`;
  return <Chart {...common} title="Rows per second, with forecast" means="arriving" at_s={at_s} lines={all} bands={bands} about={about} />;
}

interface Plain { label: string; values: Figure[]; colour: string; width?: number; dash?: boolean }

function foreseen(past: number[], lines: Plain[], forecast: Forecast): { at_s: number[]; lines: Plain[]; bands: [number, number][] } {
  const last = past.at(-1) ?? -Infinity;
  const ahead = forecast.at_s.map((at, index) => [at, index] as const).filter(([at]) => at > last);
  const before: Figure[] = past.map(() => null);
  const after = (values: number[]): Figure[] => [...before, ...ahead.map(([, index]) => values[index] ?? null)];
  const all: Plain[] = lines.map((line) => ({ ...line, values: [...line.values, ...ahead.map(() => null)] }));
  all.push({ label: "forecast", values: after(forecast.mean_rps), colour: "c4", dash: true });
  if (!forecast.low_rps.length) return { at_s: [...past, ...ahead.map(([at]) => at)], lines: all, bands: [] };
  all.push({ label: "high", values: after(forecast.high_rps), colour: "band" }, { label: "low", values: after(forecast.low_rps), colour: "band" });
  return { at_s: [...past, ...ahead.map(([at]) => at)], lines: all, bands: [[all.length - 2, all.length - 1]] };
}

export function Stages({ stages, slotsOf, withJob = false }: { stages: Stage[]; slotsOf: (job: string) => number | null; withJob?: boolean }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Stages, a table">
      <table class="stacked">
        <thead>
          <tr>
            {withJob && <th scope="col">tenant</th>}
            <th scope="col">stage</th>
            <Column of="tasks" />
            <Column of="rows in and out">rows in</Column>
            <Column of="rows in and out">rows out</Column>
            <Column of="slots used" />
            <Column of="shuffled">shuffled locally</Column>
            <Column of="shuffled">over the network</Column>
          </tr>
        </thead>
        <tbody>
          {stages.map((stage, index) => (
            <tr key={`${stage.job} ${stage.name} ${index}`}>
              {withJob && <th scope="row">{stage.job}</th>}
              <td data-label="stage">{stage.name}</td>
              <td class="n" data-label="tasks">{stage.tasks}</td>
              <td class="n" data-label="rows in">{number(stage.rows_in)}</td>
              <td class="n" data-label="rows out">{number(stage.rows_out)}</td>
              <td class="n" data-label="slots used">{number(used(stage, slotsOf(stage.job)))}</td>
              <td class="n" data-label="shuffled locally">{bytes(stage.shuffle_local_bytes)}</td>
              <td class="n" data-label="over the network">{bytes(stage.shuffle_remote_bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A stage's capacity is of the slots that it could fill: its tenant's, or fewer where it has fewer tasks. */
function used(stage: Stage, slots: number | null): number | null {
  return stage.capacity === null || slots === null ? null : stage.capacity * Math.min(stage.tasks, slots);
}

function IntentForm({ tenant }: { tenant: Tenant }) {
  const { overview, session, gone } = useSite();
  const [act, error] = useAct();
  const [values, setValues] = useState(tenant.targets.map((target) => String(target.target)));
  const [utility, setUtility] = useState(String(tenant.max_utility));
  const [sent, setSent] = useState(false);
  if (!overview.control.live || session.role !== "operate") return null;
  const submit = (event: Event): void => {
    event.preventDefault();
    const intents = changedIntent(tenant, values.map(Number), () => Number(utility));
    void act({ act: "intent", job: tenant.name, intents }).then(setSent);
  };
  return (
    <Panel title="Change the intent">
      <form class="row" onSubmit={submit}>
        {tenant.targets.map((target, index) => (
          <label key={target.text}>
            {target.kind === "juice" ? "juice, at least" : `${target.percentile === null ? "" : `p${target.percentile} `}${target.kind}, at most seconds`}
            <input type="number" step="any" min="0" required value={values[index]} onInput={(event) => { const next = [...values]; next[index] = event.currentTarget.value; setValues(next); }} />
          </label>
        ))}
        <label>
          utility, at most
          <input type="number" step="any" min="0" required value={utility} onInput={(event) => setUtility(event.currentTarget.value)} />
        </label>
        <button type="submit" disabled={gone}>Ask for this from now on</button>
        <a href={link("what-if", { run: overview.run.id, job: tenant.name })}>try it in the simulator first</a>
      </form>
      {sent && !error && <p role="status">It takes effect at the start of the next cycle.</p>}
      {error && <Problem text={error} />}
    </Panel>
  );
}
