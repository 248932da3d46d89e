// An incident report of one page: one tenant in one part of a run, to read, to link to and to print.

import { Chart } from "../chart";
import type { Incident, Job } from "../api";
import { clock, instant, number, percent, seconds, signs, span, when } from "../format";
import { useAnswer } from "../live";
import { Panel, Problem, Stat } from "../parts";
import { link } from "../route";
import { useSite } from "../site";
import { useActsFrom } from "./overview";
import { latencyLines } from "./tenant";

export function IncidentPage({ job }: { job: string | undefined }) {
  const { overview, run, zoom } = useSite();
  const name = job ?? overview.present?.tenants[0]?.name ?? Object.keys(overview.jobs)[0];
  const between = { since: zoom?.[0] ?? null, until: zoom?.[1] ?? null };
  const mark = zoom ? 0 : overview.present?.cycle;
  const [found, error] = useAnswer<Incident>("incident", name === undefined ? null : { run: overview.run.id, job: name, ...between }, mark);
  const [figures] = useAnswer<Job>("job", name === undefined ? null : { run: overview.run.id, job: name, ...between, points: 400 }, mark);
  if (name === undefined) return <p class="quiet">There is no tenant yet, so nothing to report.</p>;
  return (
    <article class="incident stories">
      {error && !found && <h1>There is no report of “{name}”.</h1>}
      {error && <Problem text={error} />}
      {found && <Told found={found} figures={figures} run={run} />}
    </article>
  );
}

function Told({ found, figures, run }: { found: Incident; figures: Job | null; run: string }) {
  const { overview } = useSite();
  const began = overview.run.started_at;
  return (
    <>
      <section class={`headline ${found.missed_s > 0 || found.unseen_s > 0 ? "bad" : "over"}`} aria-label="In short">
        <h1>Incident: {found.tenant}, {clock(overview.run, found.from_s)} to {clock(overview.run, found.to_s)}</h1>
        <p class="lead">
          {found.name} under {found.policy}{began !== null && `, ${when(instant(overview.run, found.from_s))}`}. Asked for {signs(found.intent)}.{" "}
          <span class="acts">
            <button type="button" onClick={() => print()}>Print</button>
            <a class="button" href={link("tenant", { run, job: found.tenant })}>{found.tenant} in full</a>
          </span>
        </p>
        <dl>
          <Stat label="missed" means="missed" kind={found.missed_s > 0 ? "bad" : ""}><span data-testid="missed">{span(found.missed_s)}</span> <small>of {span(found.to_s - found.from_s)}</small></Stat>
          {found.unseen_s > 0 && <Stat label="nobody knew" means="nobody knew" kind="bad">{span(found.unseen_s)}</Stat>}
          {found.worst_latency_s !== null && <Stat label="latency at worst" means="latency">{seconds(found.worst_latency_s)}</Stat>}
          {found.most_rows !== null && <Stat label="waited at most" means="waiting">{number(Math.round(found.most_rows))} <small>rows</small></Stat>}
          {found.utility_lost !== null && <Stat label="utility lost" means="share of utility">{percent(found.utility_lost)}</Stat>}
        </dl>
      </section>
      <Panel title="In words" aside={began !== null && <span class="quiet">times count from the run’s beginning, {clock(overview.run, 0)}</span>}>
        <div class="sentences">
          {found.chapters.map((chapter) => (
            <div key={chapter.name}>
              <h2>{chapter.name}</h2>
              {chapter.sentences.map((text) => <p key={text}>{signs(text)}</p>)}
            </div>
          ))}
        </div>
      </Panel>
      {figures && <Latency figures={figures} tenant={found.tenant} />}
      {found.events.length > 0 && (
        <Panel title="In its order">
          <ol class="events">
            {found.events.map((event, place) => (
              <li key={place}><time>{clock(overview.run, event.at_s)}</time> <span>{signs(event.text)}</span></li>
            ))}
          </ol>
        </Panel>
      )}
    </>
  );
}

/** Who drags across it narrows the report. */
function Latency({ figures, tenant }: { figures: Job; tenant: string }) {
  const { setZoom } = useSite();
  const { at_s } = figures.series;
  const last = at_s.at(-1) ?? 0;
  const marks = figures.decisions.filter((one) => one.at_s >= (at_s[0] ?? 0) && one.at_s <= last);
  const acts = useActsFrom(at_s[0]).filter((act) => act.at_s <= last && (act.job === null || act.job === tenant));
  return (
    <Panel title="Its latency">
      <Chart title="Latency" means="latency" of={tenant} at_s={at_s} lines={latencyLines(figures)} run={figures.run} format={seconds} marks={marks} acts={acts} height={170} zoom={null} setZoom={setZoom} />
    </Panel>
  );
}
