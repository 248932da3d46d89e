// One tenant: what it asked for, what it gets, why, and what was done.

import { useMemo, useState } from "preact/hooks";
import { Chart } from "../chart";
import { changedIntent, type Act, type Figure, type Forecast, type Job, type Stage, type Target, type Tenant } from "../api";
import { bytes, number, percent, seconds, sentence, signs, span, tenths } from "../format";
import { Graph } from "../graph";
import { Levers } from "../levers";
import { useActs, useAnswer } from "../live";
import { money } from "../money";
import { Acts, Binds, DecisionItem, Panel, Problem, Stat, StateBadge } from "../parts";
import { Remedy } from "../remedy";
import { incidentLink, link } from "../route";
import { useAct } from "../controls";
import { tone, useSite } from "../site";
import { has } from "./overview";

export function TenantPage({ job }: { job: string | undefined }) {
  const { overview } = useSite();
  const name = job ?? overview.present?.tenants[0]?.name ?? Object.keys(overview.jobs)[0];
  if (name === undefined) return <p class="quiet">No tenant has been seen yet.</p>;
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
      {error && <Problem text={error} />}
      {live && <Head tenant={live} at_s={last} job={found} />}
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
      <h1>{tenant.name} <StateBadge state={tenant.state} /></h1>
      <p class="lead">
        Asks for {signs(tenant.intent)}; has {has(tenant)}.{" "}
        {tenant.why && <b>{tenant.why}</b>}{" "}
        {tenant.beside && <b>{sentence(tenant.beside)}</b>}{" "}
        {tenant.missed_since_s !== null && <span class="quiet">For {span(at_s - tenant.missed_since_s)}.</span>}
      </p>
      {tenant.binds.length > 0 && <div class="bound"><b>What binds it</b><Binds binds={tenant.binds} /></div>}
      {tenant.state === "missing" && <div class="bound"><Remedy tenant={tenant} urgent={false} /></div>}
      <dl>
        <Stat label="utility">{number(tenant.utility)} <small>of {number(tenant.max_utility)}</small></Stat>
        <ShareStats tenant={tenant} />
        <Stat label="arriving">{number(tenant.arrival_rps)} <small>rows/s</small></Stat>
        <Stat label="processed">{number(tenant.processed_rps)} <small>rows/s</small></Stat>
        <Stat label="waiting">{number(tenant.backlog_rows)} <small>rows</small></Stat>
        {tenant.cost_hour !== null && price && <Stat label="costs">{money(price, tenant.cost_hour)} <small>an hour</small></Stat>}
        {tenant.prediction_error && (
          <Stat label="foretold utility off by">
            <span data-testid="prediction-error">{tenths(tenant.prediction_error.share)}</span> <small>over {number(tenant.prediction_error.of)} {tenant.prediction_error.of === 1 ? "comparison" : "comparisons"}</small>
          </Stat>
        )}
        {job?.state_bytes != null && <Stat label="state">{bytes(job.state_bytes)}</Stat>}
        {job?.recovery_s != null && (
          <Stat label="would recover in" kind={job.recovery_target_s !== null && job.recovery_s > job.recovery_target_s ? "bad" : ""}>
            {seconds(job.recovery_s)} {job.recovery_target_s !== null && <small>of {seconds(job.recovery_target_s)}</small>}
          </Stat>
        )}
        {job?.recoveries.map((one) => (
          <Stat key={one.lost} label={`${one.lost} lost: back in`}>
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
  if (share.weight === null) return <Stat label="threads">{number(tenant.slots)} {most}</Stat>;
  return (
    <>
      <Stat label="weight">{number(share.weight)} <small>of {number(share.weights)} in all</small></Stat>
      {share.slots !== null && <Stat label="its share">{number(share.slots)} <small>of {number(share.of_slots)} slots</small></Stat>}
      {share.busy !== null && (
        <Stat label="busy">
          <span data-testid="busy">{percent(Math.min(1, share.busy))}</span> <small>of its share{share.busy > 1 && share.used_slots !== null && `; ${number(share.used_slots)} slots used`}</small>
        </Stat>
      )}
      {share.cores !== null && <Stat label="tasks used">{number(share.cores)} <small>cores</small></Stat>}
    </>
  );
}

function Body({ job, tenant, run }: { job: Job; tenant: Tenant | null; run: string }) {
  const { at_s, values } = job.series;
  const latency = steps(job, "latency");
  const juice = steps(job, "juice");
  const first = at_s[0] ?? 0;
  const all = useActs(useSite().overview);
  const { zoom, setZoom } = useSite();
  const name = tenant?.name;
  const acts = useMemo(() => all.filter((act) => act.at_s >= first && (act.job === null || act.job === name)), [all, first, name]);
  const marks = job.decisions.filter((decision) => decision.at_s >= (at_s[0] ?? 0));
  const weighs = tenant?.share.weight != null;
  const common = { at_s, run: job.run, sync: "tenant", height: 170, acts, zoom, setZoom };
  const known = (name: string): boolean => (values[name] ?? []).some((value) => value !== null);
  const quantiles = ([["p99", "latency_p99_s", "c3"], ["p95", "latency_p95_s", "c1"], ["p50", "latency_p50_s", "c0"], ["mean", "latency_mean_s", "c5"]] as const)
    .filter(([, column]) => known(column))
    .map(([label, column, colour]) => ({ label, values: values[column] ?? [], colour }));
  const target = latency ? [{ label: "target", values: latency, colour: "bad", dash: true, stepped: true }] : [];
  const wanted = juice ? [{ label: "target", values: juice, colour: "bad", dash: true, stepped: true }] : [];
  return (
    <>
      <Panel title="Over time">
        <div class="grid">
          <Chart {...common} title="Latency" lines={[...quantiles, ...target]} format={seconds} marks={marks} />
          {known("juice") && <Chart {...common} title="Juice: share of the input processed" lines={[{ label: "juice", values: values.juice ?? [], colour: "accent" }, ...wanted]} format={percent} max={1.05} marks={marks} />}
          <Arrivals job={job} common={common} />
          <Chart {...common} title="Backlog" lines={[{ label: "rows waiting", values: values.backlog_rows ?? [], colour: "c3", fill: "accent-soft" }]} marks={marks} />
          <Chart {...common} title={weighs ? "Weight in sharing the slots" : "Threads"} lines={[{ label: weighs ? "weight" : "threads", values: values.slots ?? [], colour: "c5", stepped: true, width: 2 }]} marks={marks} />
          <Chart {...common} title="Utility" lines={[{ label: "maximum", values: values.max_utility ?? [], colour: "ink-3", dash: true }, { label: "utility", values: values.utility ?? [], colour: "accent", width: 2 }]} marks={marks} />
        </div>
        <Acts acts={acts} run={job.run} />
      </Panel>
      <Panel title="Operators" aside={<span class="quiet">coloured by capacity: the share of time that each is busy{weighs && "; above 100 % it used slots that others left"}</span>}>
        <Graph operators={job.operators} edges={job.edges} />
        {job.stages.length > 0 && <Stages stages={job.stages} />}
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

/** The target that held at each instant, as what was asked for changed; none where it was not asked for at all. */
export function steps(job: Job, kind: Target["kind"]): Figure[] | null {
  let place = 0;
  const values = job.series.at_s.map((at) => {
    while (place + 1 < job.asked.length && job.asked[place + 1]!.from_s <= at) place += 1;
    return job.asked[place]?.targets.find((target) => target.kind === kind)?.target ?? null;
  });
  return values.some((value) => value !== null) ? values : null;
}

function Arrivals({ job, common }: { job: Job; common: { at_s: number[]; run: Job["run"]; sync: string; height: number; acts: Act[]; zoom: [number, number] | null; setZoom: (zoom: [number, number] | null) => void } }) {
  const { values } = job.series;
  const lines = [
    { label: "arriving", values: values.arrival_rps ?? [], colour: "c0", width: 2 },
    { label: "processed", values: values.processed_rps ?? [], colour: "c1" },
  ];
  if (job.forecast === null) return <Chart {...common} title="Rows per second" lines={lines} />;
  const { at_s, lines: all, bands } = foreseen(job.series.at_s, lines, job.forecast);
  const { level, method } = job.forecast;
  const about = `Forecast by ${method}${level === null ? "" : `, ${percent(level)} interval`}.`;
  return <Chart {...common} title="Rows per second, with forecast" at_s={at_s} lines={all} bands={bands} about={about} />;
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

export function Stages({ stages, withJob = false }: { stages: Stage[]; withJob?: boolean }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Stages, a table">
      <table class="stacked">
        <thead>
          <tr>
            {withJob && <th scope="col">tenant</th>}
            <th scope="col">stage</th>
            <th scope="col" class="n">tasks</th>
            <th scope="col" class="n">rows in</th>
            <th scope="col" class="n">rows out</th>
            <th scope="col" class="n">busy, of its share</th>
            <th scope="col" class="n">shuffled locally</th>
            <th scope="col" class="n">over the network</th>
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
              <td class="n" data-label="busy, of its share">{percent(stage.capacity)}</td>
              <td class="n" data-label="shuffled locally">{bytes(stage.shuffle_local_bytes)}</td>
              <td class="n" data-label="over the network">{bytes(stage.shuffle_remote_bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
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
    <Panel title="Change what is asked for">
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
      {sent && !error && <p role="status">It is heard at the start of the next cycle.</p>}
      {error && <Problem text={error} />}
    </Panel>
  );
}
