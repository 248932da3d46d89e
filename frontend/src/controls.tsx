// The bar that says which run this is and how its controller stands, and lets people act on it.

import { useState } from "preact/hooks";
import { ApiError, send, type Control, type Run } from "./api";
import { clock, signs, span, when } from "./format";
import { Problem } from "./parts";
import { link, type Route } from "./route";
import { useSite } from "./site";

const NAME = "penstock-name";
const CLOCKS_S = 60; // apart; less is not told

export function useAct(): [(body: Record<string, unknown>) => Promise<boolean>, string | null] {
  const site = useSite();
  const [error, setError] = useState<string | null>(null);
  const act = async (body: Record<string, unknown>): Promise<boolean> => {
    try {
      await send("control", { ...body, who: localStorage.getItem(NAME) ?? "" }, { run: site.overview.run.id });
      setError(null);
      return true;
    } catch (problem) {
      setError(problem instanceof ApiError ? problem.message : "The server cannot be reached.");
      return false;
    }
  };
  return [act, error];
}

export function Controls({ route }: { route: Route }) {
  const { overview, runs, run, session, gone } = useSite();
  const { control } = overview;
  const [act, error] = useAct();
  const ahead_s = (control.seen_at_epoch_s ?? 0) - Date.now() / 1000;
  const mayAct = control.live && session.role === "operate";
  const lives = (one: Run): boolean => !gone && (one.id === overview.run.id ? control.life === "live" : one.live);
  const choose = (id: string): void => {
    location.hash = link(route.page, { ...route.query, run: id === runs[0]?.id ? "last" : id, job: undefined });
  };
  return (
    <section class="controls" aria-label="The run">
      <label class="run">
        <span class="sr">Run</span>
        <select value={overview.run.id} onChange={(event) => choose(event.currentTarget.value)}>
          {!runs.some((one) => one.id === overview.run.id) && <option value={overview.run.id}>{overview.run.name}</option>}
          {runs.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}{runs.filter((other) => other.name === one.name).length > 1 ? ` (${one.id})` : ""}{lives(one) ? " ● live" : ""}
            </option>
          ))}
        </select>
      </label>
      <Life />
      {mayAct && (
        <span class="acts">
          <button type="button" class="pause" disabled={gone} onClick={() => void act({ act: control.paused_by ? "resume" : "pause" })}>
            {control.paused_by ? "Resume governing" : "Pause governing"}
          </button>
          <button type="button" class="dry" disabled={gone} aria-pressed={control.dry_run} onClick={() => void act({ act: control.dry_run ? "do" : "dry-run" })}>
            Dry run
          </button>
          <NameField key={run} />
        </span>
      )}
      <span class="notes">
        <span class="quiet facts">
          {overview.run.policy} on {overview.run.engine}
          {overview.run.started_at !== null && `, since ${when(overview.run.started_at)}`}
          {overview.present && `, ${span(overview.present.at_s - (overview.run.first_s ?? 0))}`}
        </span>
        {control.live && control.said === "" && ahead_s > CLOCKS_S && <span class="badge wait" title="Its clock decides whether it counts as alive">its controller’s clock is {span(ahead_s)} ahead of this browser’s</span>}
        {control.dry_run && <span class="badge wait" title="Nothing is carried out">dry run: nothing is carried out</span>}
        {control.paused_by && <span class="badge wait" data-testid="paused" title={`Paused by ${control.paused_by}`}>❚❚ paused by {control.paused_by}</span>}
        {control.waiting.length > 0 && <span class="quiet" role="status">{control.waiting.join(", ")}: takes effect in the next cycle…</span>}
      </span>
      {error && <Problem text={error} />}
    </section>
  );
}

const LIVES: Record<Exclude<Control["life"], "live">, [string, string]> = {
  awaited: ["lost", "sign of life awaited"],
  silent: ["dead", "no sign of life"],
  ahead: ["lost", "clock ahead"],
  ended: ["past", "over"],
};

/** In a word whether anybody governs. */
function Life() {
  const { overview, line, gone, unheard } = useSite();
  const [kind, told] =
    gone ? ["lost", line === "gone" ? "gone" : unheard ? "no news" : "not read"]
    : overview.control.life !== "live" ? (overview.control.life === "ended" && overview.present === null ? ["past", "no cycle yet"] : LIVES[overview.control.life])
    : line === "live" ? ["live", "live"] : ["lost", "connecting"];
  return <span class={`life ${kind}`} role="status">{told}</span>;
}

function NameField() {
  const [name, setName] = useState(localStorage.getItem(NAME) ?? "");
  const change = (value: string): void => {
    setName(value);
    localStorage.setItem(NAME, value);
  };
  return (
    <label class="name">
      <span class="sr">Your name, for the audit log</span>
      <input value={name} maxLength={60} placeholder="your name, for the log" onInput={(event) => change(event.currentTarget.value)} />
    </label>
  );
}

export function Proposals() {
  const { overview, session, gone } = useSite();
  const [act, error] = useAct();
  const { proposals } = overview.control;
  if (!proposals.length) return null;
  return (
    <section class="panel proposals" aria-label="Waiting for approval">
      {proposals.map((proposal) => (
        <div class="proposal" key={proposal.number}>
          <p>
            <b>{proposal.jobs.join(", ")} must approve:</b> {signs(proposal.text)} <span class="quiet">{clock(overview.run, proposal.at_s)}</span>
            <br />
            {signs(proposal.why)}
          </p>
          {session.role === "operate" && (
            <span class="acts">
              <button type="button" class="primary" disabled={gone} onClick={() => void act({ act: "approve", proposal: proposal.number })}>
                Approve
              </button>
              <button type="button" disabled={gone} onClick={() => void act({ act: "refuse", proposal: proposal.number })}>
                Refuse
              </button>
            </span>
          )}
        </div>
      ))}
      {error && <Problem text={error} />}
    </section>
  );
}
