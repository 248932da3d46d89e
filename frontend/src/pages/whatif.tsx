// What if: change something, and the present is simulated on with the last minutes' arrivals.

import { useMemo, useState } from "preact/hooks";
import { changedIntent, send, worded, type Figure, type IntentPart, type Policy, type Question, type Series, type Tenant, type Trial, type Turn, type WhatIf, type WhatIfJob } from "../api";
import { Chart } from "../chart";
import { ABSENT, number, percent, span } from "../format";
import { useAnswer } from "../live";
import { Rest, Search, useMany } from "../many";
import { Column, Panel, Problem } from "../parts";
import { put, useRoute } from "../route";
import { sharesSlots, useSite } from "../site";

const MISLEADS = 0.15; // off by more than this an answer says little

/** The question of an address; nothing of one that cannot be read. */
export function questionOf(text: string | undefined): Question {
  try {
    const found: unknown = JSON.parse(text ?? "{}");
    return typeof found === "object" && found !== null ? (found as Question) : {};
  } catch {
    return {};
  }
}

export function WhatIfPage({ job }: { job: string | undefined }) {
  const { overview, gone } = useSite();
  const route = useRoute();
  const given = questionOf(route.query.ask);
  const [policies] = useAnswer<Policy[]>("policies", {}, 0);
  const [policy, setPolicy] = useState(given.policy ?? "");
  const [slots, setSlots] = useState(given.slots == null ? "" : String(given.slots));
  const [minutes, setMinutes] = useState(String(given.minutes ?? 10));
  const [rates, setRates] = useState<Record<string, string>>(texts(given.rates ?? {}));
  const all = overview.present?.tenants ?? [];
  const [targets, setTargets] = useState<Record<string, string>>(() => targetsOf(given.intents ?? {}, all));
  const [turns, setTurns] = useState<Turn[]>(given.turns ?? []);
  const [most, setMost] = useState<Record<string, number>>(given.max_slots ?? {});
  const [answer, setAnswer] = useState<WhatIf | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const asked = useMemo(() => new Set([...(job ? [job] : []), ...Object.keys(given.rates ?? {}), ...Object.keys(given.intents ?? {})]), []);
  const tenants = all.toSorted((a, b) => Number(asked.has(b.name)) - Number(asked.has(a.name)));
  const many = useMany(tenants, (tenant) => tenant.name);
  const weighs = sharesSlots(overview);
  const submit = (event: Event): void => {
    event.preventDefault();
    setBusy(true);
    const body = {
      minutes: Number(minutes),
      policy: policy || null,
      slots: slots ? Number(slots) : null,
      rates: Object.fromEntries(Object.entries(rates).filter(([, value]) => value && Number(value) !== 1).map(([name, value]) => [name, Number(value)])),
      intents: changed(tenants, targets),
      turns,
      max_slots: most,
    };
    put({ ask: JSON.stringify(told(body)) });
    send<WhatIf>("what-if", body, { run: overview.run.id })
      .then((found) => { setAnswer(found); setError(null); })
      .catch((problem: unknown) => setError(worded(problem)))
      .finally(() => setBusy(false));
  };
  return (
    <>
      <h1>What if?</h1>
      <p class="lead">The simulator continues from the present with the arrivals of the last minutes: once unchanged, once with your changes.</p>
      <form onSubmit={submit} class="panel whatif">
        <div class="row">
          <label>
            Policy
            <select value={policy} onChange={(event) => setPolicy(event.currentTarget.value)}>
              <option value="">as it is ({overview.run.policy})</option>
              {policies?.map((one) => <option key={one.name} value={one.name} title={one.about}>{one.name}</option>)}
            </select>
          </label>
          <label>
            {weighs ? "Slots" : "Cores"}
            <input type="number" min="1" max="10000" step="1" value={slots} placeholder={`as it is (${number(overview.present?.slots)})`} onInput={(event) => setSlots(event.currentTarget.value)} />
          </label>
          <label>
            Minutes
            <input type="number" min="1" max="60" step="1" required value={minutes} onInput={(event) => setMinutes(event.currentTarget.value)} />
          </label>
          <button type="submit" class="primary" disabled={busy || gone} data-testid="ask">{busy ? "Simulating…" : "Simulate"}</button>
        </div>
        <Search of={all.length} />
        <div class="scroll" tabIndex={0} role="region" aria-label="Changes by tenant, a table">
          <table class="changes stacked">
            <thead><tr><th scope="col">tenant</th><th scope="col">rate, times</th><Column of="asks for" text /></tr></thead>
            <tbody>
              {many.shown.map((tenant) => (
                <tr key={tenant.name}>
                  <th scope="row">{tenant.name}</th>
                  <td data-label="rate, times">
                    <input aria-label={`Rate of ${tenant.name}, times`} type="number" min="0" max="100" step="any" value={rates[tenant.name] ?? ""} placeholder="1" onInput={(event) => setRates({ ...rates, [tenant.name]: event.currentTarget.value })} />{" "}
                    <span class="quiet">of {number(tenant.arrival_rps)} rows/s</span>
                  </td>
                  <td class="targets" data-label="asks for">
                    {tenant.targets.map((target, index) => (
                      <label key={target.text}>
                        {target.kind === "juice" ? "juice ≥" : `${target.percentile === null ? "" : `p${target.percentile} `}${target.kind} ≤`}
                        <input aria-label={`${target.kind} of ${tenant.name}`} type="number" min="0" step="any" value={targets[`${tenant.name}\n${index}`] ?? ""} placeholder={String(target.target)} onInput={(event) => setTargets({ ...targets, [`${tenant.name}\n${index}`]: event.currentTarget.value })} />
                        {target.kind === "juice" ? "" : "s"}
                      </label>
                    ))}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {all.length > 0 && <Rest many={many} one="tenants" />}
        <Also turns={turns} setTurns={setTurns} most={most} setMost={setMost} />
        {error && <Problem text={error} />}
      </form>
      {answer && <Answer answer={answer} />}
    </>
  );
}

/** Levers and limits that came with the address: shown, and left out again where somebody wants that. */
function Also({ turns, setTurns, most, setMost }: { turns: Turn[]; setTurns: (turns: Turn[]) => void; most: Record<string, number>; setMost: (most: Record<string, number>) => void }) {
  if (!turns.length && !Object.keys(most).length) return null;
  return (
    <ul class="also" aria-label="Also changed">
      {turns.map((turn) => (
        <li key={`${turn.kind} ${turn.job} ${turn.operator ?? ""}`}>
          {turn.job ?? "the application"}: {turn.kind} {turn.value === null ? "none" : number(turn.value)}{" "}
          <button type="button" class="plain small" onClick={() => setTurns(turns.filter((one) => one !== turn))}>leave it</button>
        </li>
      ))}
      {Object.entries(most).map(([name, value]) => (
        <li key={name}>
          {name}: max_slots {value}{" "}
          <button type="button" class="plain small" onClick={() => setMost(Object.fromEntries(Object.entries(most).filter(([one]) => one !== name)))}>leave it</button>
        </li>
      ))}
    </ul>
  );
}

/** The question without what is left as it is: so long as needed, and no longer. */
function told(asked: Question): Question {
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== null && (typeof value !== "object" || Object.keys(value).length > 0)));
}

function texts(values: Record<string, number>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

/** What is asked of tenants, as the form has it: by name and place of the target. */
function targetsOf(intents: Record<string, IntentPart[]>, tenants: Tenant[]): Record<string, string> {
  const found = Object.entries(intents).flatMap(([name, parts]) => {
    const targets = tenants.find((tenant) => tenant.name === name)?.targets ?? [];
    return targets.map((target, place): [string, string] => [`${name}\n${place}`, String(parts[place]?.[target.kind] ?? "")]);
  });
  return Object.fromEntries(found.filter(([, value]) => value));
}

function changed(tenants: Tenant[], targets: Record<string, string>): Record<string, IntentPart[]> {
  const touched = tenants.filter((tenant) => tenant.targets.some((_, index) => targets[`${tenant.name}\n${index}`]));
  return Object.fromEntries(
    touched.map((tenant) => [
      tenant.name,
      changedIntent(tenant, tenant.targets.map((target, index) => Number(targets[`${tenant.name}\n${index}`] || target.target)), (target) => target.utility),
    ]),
  );
}

function Answer({ answer }: { answer: WhatIf }) {
  const { past, as_is, changed, trial } = answer;
  const weighs = sharesSlots(useSite().overview);
  const many = useMany(answer.jobs.toSorted((one, other) => apart(other) - apart(one)), (job) => job.name);
  const all = [past, ...(trial ? [trial.series] : []), as_is.series, changed.series];
  const at_s = [...new Set(all.flatMap((series) => series.at_s))].sort((a, b) => a - b);
  const on = (series: Series): (Figure | undefined)[] => {
    const known = new Map(series.at_s.map((at, index) => [at, series.values.share?.[index] ?? null]));
    return at_s.map((at) => known.get(at)); // where a line has no point at all it is drawn through
  };
  const lines = [
    { label: "really", values: on(past), colour: "ink-2", width: 2 },
    ...(trial ? [{ label: "simulated, to try it", values: on(trial.series), colour: "c4", width: 1.6, dash: true }] : []),
    { label: "as it is", values: on(as_is.series), colour: "c1", width: 2 },
    { label: "with the changes", values: on(changed.series), colour: "c0", width: 2.4 },
  ];
  return (
    <Panel title="The answer" aside={<span class="quiet">simulated in {answer.took_s.toFixed(1)} s</span>}>
      <p class="verdict" role="status" data-testid="answer">
        With the changes <b>{percent(changed.share)}</b> of the utility, as it is <b>{percent(as_is.share)}</b>; over the same arrivals it really was <b>{percent(answer.past_share)}</b>.
        {(!as_is.whole || !changed.whole) && " The time limit ended before the simulation did. Only its beginning is shown."}
      </p>
      <Trust trial={trial} />
      <Chart title="Share of the maximum utility" means="share of utility" at_s={at_s} lines={lines} run={{ started_at: null }} relative now_s={0} format={percent} max={1.05} height={220} />
      <div class="scroll" tabIndex={0} role="region" aria-label="By tenant, a table">
        <table class="stacked">
          <thead>
            <tr>
              <th scope="col">tenant</th>
              <Column of="met">met, really</Column>
              <th scope="col" class="n">as it is</th>
              <th scope="col" class="n">changed</th>
              <Column of="share of utility">utility, really</Column>
              <th scope="col" class="n">as it is</th>
              <th scope="col" class="n">changed</th>
              <Column of={weighs ? "weight" : "threads"} />
              <Column of="off by">off when tried</Column>
            </tr>
          </thead>
          <tbody>
            {many.shown.map((job) => (
              <tr key={job.name}>
                <th scope="row">{job.name}</th>
                <td class="n" data-label="met, really">{percent(job.past_met)}</td>
                <td class="n" data-label="met, as it is">{percent(job.as_is_met)}</td>
                <td class="n" data-label="met, changed">{percent(job.changed_met)}</td>
                <td class="n" data-label="utility, really">{percent(job.past_share)}</td>
                <td class="n" data-label="utility, as it is">{percent(job.as_is_share)}</td>
                <td class={`n ${better(job.changed_share, job.as_is_share)}`} data-label="utility, changed">{percent(job.changed_share)}</td>
                <td class="n" data-label={weighs ? "weight" : "threads"}>{job.slots_now} → {number(job.slots_then)}</td>
                <td class="n" data-label="off when tried">{points(job.off)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Rest many={many} one="tenants" />
    </Panel>
  );
}

/** How far the answer can be trusted: what the same simulator made of minutes that really happened. */
function Trust({ trial }: { trial: Trial | null }) {
  if (trial === null) return <p class="quiet">The error of this simulation is unknown: the run is too short, or the time limit ended.</p>;
  return (
    <p class="lead" data-testid="trust">
      Tried on the last {span(trial.span_s)}, knowing only what was seen before them, the simulator said {percent(trial.share)} where it really was {percent(trial.real_share)}: off by <b>{points(trial.off)}</b> of the utility on average.{" "}
      {trial.off > MISLEADS && <b>Do not rely on it here.</b>}
    </p>
  );
}

/** What the changes make of it: those of whom they make most are what was asked about. */
function apart(job: WhatIfJob): number {
  return Math.abs((job.changed_share ?? 0) - (job.as_is_share ?? 0));
}

function points(share: Figure): string {
  return share === null ? ABSENT : `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`;
}

function better(now: Figure, before: Figure): string {
  if (now === null || before === null || Math.abs(now - before) < 0.01) return "";
  return now > before ? "up" : "down";
}
