// Two runs side by side, or three, each from its own beginning on: on one axis, and tenant by tenant.

import { Chart } from "../chart";
import type { Compare, CompareJob, CompareSide, Figure, Run } from "../api";
import { number, percent, sentence, signs, span } from "../format";
import { useAnswer } from "../live";
import { Rest, Search, useMany } from "../many";
import { Column, Panel, Problem, Stat } from "../parts";
import { link } from "../route";
import { useSite } from "../site";
import { Standing } from "../standing";

const NOTICED = 0.005; // less is no difference

interface Chosen {
  a?: string | undefined;
  b?: string | undefined;
  c?: string | undefined; // one more, between the two
}

export function ComparePage({ a, b, c }: Chosen) {
  const { runs, overview } = useSite();
  const second = b ?? overview.run.id;
  const [found, error] = useAnswer<Compare>("compare", a ? { a, b: second } : null, overview.present?.cycle);
  const [third] = useAnswer<Compare>("compare", a && c ? { a: c, b: second } : null, overview.present?.cycle);
  const choose = (query: Chosen): void => {
    location.hash = link("compare", { run: overview.run.id, a, b: second, c, ...query });
  };
  return (
    <>
      <h1>Compare</h1>
      <form class="row filters" onSubmit={(event) => event.preventDefault()}>
        <Which label="A" value={found?.a.run.id ?? a ?? ""} runs={runs} choose={(id) => choose({ a: id || undefined })} none="choose a run" />
        <Which label="B" value={found?.b.run.id ?? second} runs={runs} choose={(id) => choose({ b: id })} />
        <Which label="C" value={c ?? ""} runs={runs} choose={(id) => choose({ c: id || undefined })} none="no other" />
        <button type="button" disabled={!a} onClick={() => choose({ a: second, b: a })}>Turn round</button>
      </form>
      {error && <Problem text={error} />}
      {a ? found && <Both found={found} third={c ? third : null} /> : <Choose runs={runs} second={second} />}
    </>
  );
}

/** Nothing to compare yet: what is to be chosen, or where another run comes from. */
function Choose({ runs, second }: { runs: Run[]; second: string }) {
  const named = runs.find((run) => run.id === second)?.name ?? second;
  const others = runs.filter((run) => run.id !== second).length;
  return (
    <Standing
      kind="wait"
      told={`Choose the run that ${named} is to be compared with.`}
      todo={others > 0 ? [<>Under A: {others === 1 ? "one other is" : `${number(others)} others are`} recorded here.</>] : [
        <>No other run is recorded here. The same tenants under another policy: <code>penstock run tenants.yaml --policy fair</code> with the same <code>--store</code>.</>,
        <>Three at once, on real Spark: <code>penstock demo</code>.</>,
      ]}
    />
  );
}

function Which({ label, value, runs, choose, none }: { label: string; value: string; runs: Run[]; choose: (id: string) => void; none?: string }) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => choose(event.currentTarget.value)}>
        {none && <option value="">{none}</option>}
        {value && !runs.some((run) => run.id === value) && <option>{value}</option>}
        {runs.map((run) => <option key={run.id} value={run.id}>{run.name}, {run.policy} ({run.id})</option>)}
      </select>
    </label>
  );
}

/** `third` is another comparison with the same B: its A is the third run. */
function Both({ found, third }: { found: Compare; third: Compare | null }) {
  const { a, b } = found;
  const c = third?.a ?? null;
  const { zoom, setZoom } = useSite();
  const from = b.run.first_s ?? 0; // a zoom is on the clock of a run, the axis counts from its beginning
  const many = useMany(found.jobs.toSorted((one, other) => apart(other) - apart(one)), (job) => job.name);
  const at_s = [...new Set([a, b, c].flatMap((side) => side?.series.at_s ?? []))].sort((one, other) => one - other);
  const lines = [
    { label: `A ${a.run.policy}`, values: on(a, at_s), colour: "c1", width: 2 },
    ...(c ? [{ label: `C ${c.run.policy}`, values: on(c, at_s), colour: "c3", width: 2 }] : []),
    { label: `B ${b.run.policy}`, values: on(b, at_s), colour: "c0", width: 2.4 },
  ];
  return (
    <>
      <section class="headline over" aria-label="In short">
        <p class="lead" data-testid="compared">{found.sentences.map(sentence).join(" ")}</p>
        <dl>
          <Side name="A" side={a} />
          <Side name="B" side={b} />
          {c && <Side name="C" side={c} />}
        </dl>
      </section>
      <Panel title="On one axis" aside={<span class="quiet">from the beginning of each</span>}>
        <Chart title="Share of the maximum utility" means="share of utility" at_s={at_s} lines={lines} run={{ started_at: null }} relative format={percent} max={1.05} height={240} zoom={zoom && [zoom[0] - from, zoom[1] - from]} setZoom={(part) => setZoom(part && [part[0] + from, part[1] + from])} />
      </Panel>
      <Panel title="Tenant by tenant" aside={<Search of={found.jobs.length} />}>
        <div class="scroll" tabIndex={0} role="region" aria-label="Tenant by tenant, a table">
          <table class="stacked">
            <thead>
              <tr>
                <th scope="col">tenant</th>
                <Column of="asks for" text />
                <Column of="share of utility">utility, A</Column>
                <th scope="col" class="n">B</th>
                {c && <th scope="col" class="n">C</th>}
                <Column of="met">met, A</Column>
                <th scope="col" class="n">B</th>
                {c && <th scope="col" class="n">C</th>}
              </tr>
            </thead>
            <tbody>{many.shown.map((job) => <Row key={job.name} job={job} third={third && (third.jobs.find((one) => one.name === job.name) ?? null)} with_c={c !== null} />)}</tbody>
          </table>
        </div>
        <Rest many={many} one="tenants" />
      </Panel>
    </>
  );
}

function Side({ name, side }: { name: string; side: CompareSide }) {
  return (
    <>
      <Stat label={`utility, ${name}`} means="share of utility">{percent(side.utility_share)} <small>{side.run.policy}</small></Stat>
      <Stat label={`asked for and met, ${name}`} means="met">{percent(side.met_share)} <small>of the time</small></Stat>
      <Stat label={`decisions, ${name}`} means="decisions">{number(side.decisions)} <small>{side.helped} helped, in {span(side.length_s)}</small></Stat>
    </>
  );
}

function Row({ job, third, with_c }: { job: CompareJob; third: CompareJob | null; with_c: boolean }) {
  const asks = job.asks_a === job.asks_b || job.asks_b === null ? job.asks_a : job.asks_a === null ? job.asks_b : `A: ${job.asks_a}; B: ${job.asks_b}`;
  return (
    <tr>
      <th scope="row">{job.name}</th>
      <td data-label="asks for">{asks ? signs(asks) : "–"}</td>
      <td class="n" data-label="utility, A">{percent(job.utility_a)}</td>
      <td class={`n ${direction(job.utility_b, job.utility_a)}`} data-label="utility, B">{percent(job.utility_b)}</td>
      {with_c && <td class="n" data-label="utility, C">{percent(third?.utility_a ?? null)}</td>}
      <td class="n" data-label="met, A">{percent(job.met_a)}</td>
      <td class={`n ${direction(job.met_b, job.met_a)}`} data-label="met, B">{percent(job.met_b)}</td>
      {with_c && <td class="n" data-label="met, C">{percent(third?.met_a ?? null)}</td>}
    </tr>
  );
}

/** How far apart a tenant did in the two: those who differ most are what is looked for. */
function apart(job: CompareJob): number {
  return Math.abs((job.utility_b ?? 0) - (job.utility_a ?? 0));
}

function on(side: CompareSide, at_s: number[]): (Figure | undefined)[] {
  const known = new Map(side.series.at_s.map((at, index) => [at, side.series.values.share?.[index] ?? null]));
  return at_s.map((at) => known.get(at)); // where a line has no point at all it is drawn through
}

function direction(now: Figure, before: Figure): string {
  if (now === null || before === null || Math.abs(now - before) < NOTICED) return "";
  return now > before ? "up" : "down";
}
