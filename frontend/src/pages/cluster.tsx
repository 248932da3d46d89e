// The cluster: machines, who has which share of the slots, what is shuffled, where keys live.

import { Chart } from "../chart";
import type { Cluster, Keys, Machine } from "../api";
import { number, percent } from "../format";
import { Levers } from "../levers";
import { useAnswer } from "../live";
import { Rest, Search, useMany } from "../many";
import { Bar, Column, Panel, Problem } from "../parts";
import { tone, useSite } from "../site";
import { AsOf } from "../standing";
import { Term } from "../terms";
import { SERIES } from "../theme";
import { TimeShown } from "../time";
import { Slots, useActsFrom } from "./overview";
import { slotsOf, Stages } from "./tenant";

const MOST_LINES = 8;

export function ClusterPage() {
  const site = useSite();
  const { overview, span_s, zoom } = site;
  const asked = zoom ? { since: zoom[0], until: zoom[1] } : { since: span_s === null ? null : (overview.present?.at_s ?? 0) - span_s, until: null };
  const [found, error] = useAnswer<Cluster>("cluster", { run: overview.run.id, ...asked }, zoom ? 0 : overview.present?.cycle);
  const machines = overview.present?.machines ?? [];
  const cores = machines.filter((machine) => machine.alive).reduce((sum, machine) => sum + machine.cores, 0);
  const gone = machines.filter((machine) => !machine.alive).length;
  const crowded = machines.filter((machine) => machine.congested).length;
  const measured = machines.length > 0 && machines.every((machine) => !machine.alive || machine.load !== null);
  return (
    <>
      <section class={`headline ${tone(site, gone || crowded ? "missing" : measured ? "fine" : null)}`} aria-label="Now">
        <h1>
          <AsOf />{machines.length} {machines.length === 1 ? "machine" : "machines"}, {cores} cores; {overview.present?.given ?? "nothing given"}.{" "}
          {gone > 0 && `${gone} not there. `}
          {crowded > 0 ? `${crowded === 1 ? "One has" : `${crowded} have`} more runnable threads than cores.` : gone === 0 && (measured ? "None is congested." : "Their load was not measured.")}
        </h1>
      </section>
      {error && <Problem text={error} />}
      <Panel title="Machines" aside={<TimeShown />}>
        <Machines machines={machines} />
        {found && <Loads cluster={found} />}
      </Panel>
      <Levers levers={overview.present?.levers ?? []} />
      <Panel title="Who shares what">
        <Slots overview={overview} />
      </Panel>
      {found && found.stages.length > 0 && (
        <Panel title="Shuffles" aside={<><Locality cluster={found} /><Search of={overview.present?.tenants.length ?? 0} /></>}>
          <AllStages cluster={found} />
        </Panel>
      )}
      {found && found.keys.length > 0 && (
        <Panel title="Where keys live">
          <Placements keys={found.keys} />
        </Panel>
      )}
    </>
  );
}

/** The crowded and those that are not there first. */
function Machines({ machines }: { machines: Machine[] }) {
  const ranked = machines.toSorted((a, b) => Number(a.alive) - Number(b.alive) || Number(b.congested) - Number(a.congested));
  const many = useMany(ranked, (machine) => machine.name, false);
  return (
    <>
      <div class="machines">{many.shown.map((machine) => <MachineCard key={machine.name} machine={machine} />)}</div>
      {machines.length > 0 && <Rest many={many} one="machines" />}
    </>
  );
}

function AllStages({ cluster }: { cluster: Cluster }) {
  const { overview } = useSite();
  const many = useMany(cluster.stages, (stage) => stage.job);
  const tenants = new Map(overview.present?.tenants.map((tenant) => [tenant.name, tenant]));
  return (
    <>
      <Stages stages={many.shown} slotsOf={(job) => slotsOf(tenants.get(job))} withJob />
      <Rest many={many} one="stages" />
    </>
  );
}

function Placements({ keys }: { keys: Keys[] }) {
  const many = useMany(keys, (one) => one.job);
  return (
    <>
      {many.shown.map((one) => <Placement key={`${one.job} ${one.operator}`} keys={one} />)}
      <Rest many={many} one="operators" />
    </>
  );
}

function MachineCard({ machine }: { machine: Machine }) {
  const share = machine.load === null ? null : machine.load / machine.cores;
  return (
    <article class={`machine ${machine.alive ? (machine.congested ? "congested" : "") : "gone"}`}>
      <h3>{machine.name}</h3>
      <dl>
        <dt><Term of="load" /></dt>
        <dd>
          <Bar share={share} kind={machine.congested ? "bad" : "good"} label={`load ${number(machine.load)} on ${machine.cores} cores`} />
          {number(machine.load)} <small class="quiet">on {machine.cores} cores</small>
        </dd>
        {machine.memory_share !== null && (
          <>
            <dt><Term of="memory" /></dt>
            <dd><Bar share={machine.memory_share} label={`memory ${percent(machine.memory_share)}`} /> {percent(machine.memory_share)}</dd>
          </>
        )}
        {machine.executors !== null && (
          <>
            <dt><Term of="executors" /></dt>
            <dd>{machine.executors}</dd>
          </>
        )}
      </dl>
      {!machine.alive && <p class="error">not there</p>}
    </article>
  );
}

function Loads({ cluster }: { cluster: Cluster }) {
  const { zoom, setZoom } = useSite();
  const names = Object.keys(cluster.machines).sort().slice(0, MOST_LINES);
  const first = cluster.machines[names[0] ?? ""];
  const acts = useActsFrom(first?.at_s[0]);
  if (!first) return null;
  const lines = names.map((name, place) => ({ label: name, values: cluster.machines[name]!.values.load ?? [], colour: `c${place % SERIES}` }));
  const same = lines.filter((line) => line.values.length === first.at_s.length);
  return <Chart title="Load: running and runnable threads" means="load" at_s={first.at_s} lines={same} run={cluster.run} acts={acts} sync="overview" height={170} zoom={zoom} setZoom={setZoom} />;
}

function Locality({ cluster }: { cluster: Cluster }) {
  const known = cluster.stages.filter((stage) => stage.shuffle_local_bytes !== null && stage.shuffle_remote_bytes !== null);
  const local = known.reduce((sum, stage) => sum + (stage.shuffle_local_bytes ?? 0), 0);
  const all = local + known.reduce((sum, stage) => sum + (stage.shuffle_remote_bytes ?? 0), 0);
  return all > 0 ? <span class="quiet">{percent(local / all)} of the shuffled bytes stayed on their machine</span> : null;
}

/** One operator's keys: a row for each machine, in it a cell for each partition, underlined by its share of the rows. */
function Placement({ keys }: { keys: Keys }) {
  const most = Math.max(...keys.partitions.map((one) => one.share ?? 0), 1e-9);
  const nowhere = keys.partitions.filter((one) => one.machine === null);
  const rows = [...keys.machines, ...(nowhere.length ? [{ machine: null, partitions: nowhere.length, keys: null, share: null }] : [])];
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`Where the keys of ${keys.job}, ${keys.operator} live, a table`}>
      <table class="placement">
        <caption>
          <b>{keys.job}</b>: {keys.operator}
          {keys.locality !== null && <>, <b>{percent(keys.locality)}</b> of the rows that come to it stay on their machine</>}
          {keys.table !== null && <span class="quiet">, routing table {keys.table}</span>}
        </caption>
        <thead>
          <tr><th scope="col">machine</th><Column of="keys">rows</Column><Column of="keys">routed keys</Column><th scope="col" class="n">partitions</th><th scope="col">which, and their share of the rows</th></tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.machine ?? ""}>
              <th scope="row">{row.machine ?? <span class="quiet">not known yet</span>}</th>
              <td class="n">{percent(row.share)}</td>
              <td class="n">{number(row.keys)}</td>
              <td class="n">{row.partitions}</td>
              <td>
                <ul class="cells">
                  {keys.partitions.filter((one) => one.machine === row.machine).map((one) => (
                    <li key={one.partition} style={{ "--part": `${Math.round((100 * (one.share ?? 0)) / most)}%` }} title={one.executor === null ? undefined : `executor ${one.executor}`}>
                      <b>{one.partition}</b> {percent(one.share)}
                    </li>
                  ))}
                </ul>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
