// Every decision, found by words; and who did what to the controller.

import { useState } from "preact/hooks";
import { address, type Audit, type Decisions } from "../api";
import { when } from "../format";
import { useAnswer } from "../live";
import { put, useRoute } from "../route";
import { DecisionItem, Panel, Problem } from "../parts";
import { useSite } from "../site";

const CAMES = ["better", "no change", "worse", "not judged yet", "not judged", "not done", "not carried out"];
const A_PAGE = 50;

/** What is looked for stands in the address. */
export function DecisionsPage() {
  const { overview, run } = useSite();
  const { words = "", job = "", reason = "", came = "" } = useRoute().query;
  const set = (name: string) => (value: string): void => put({ [name]: value || undefined });
  const [most, setMost] = useState(A_PAGE);
  const wanted = { run: overview.run.id, words, job, reason, came };
  const mark = `${overview.decisions.length} ${overview.decisions.filter((decision) => decision.came === "not judged yet").length}`;
  const [found, error] = useAnswer<Decisions>("decisions", { ...wanted, limit: most }, mark);
  return (
    <>
      <h1>Decisions</h1>
      <form class="row filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <label>
          Words
          <input type="search" value={words} maxLength={200} placeholder="such as latency slots" onInput={(event) => set("words")(event.currentTarget.value)} />
        </label>
        <Choice label="Tenant" value={job} choose={set("job")} options={found?.jobs ?? []} />
        <Choice label="Reason" value={reason} choose={set("reason")} options={found?.reasons ?? []} />
        <Choice label="What came" value={came} choose={set("came")} options={CAMES} />
        <span class="acts">
          <a class="button" href={address("decisions.csv", wanted)} download="decisions.csv">Export CSV</a>
          <a class="button" href={address("decisions", { ...wanted, limit: 1000 })} download="decisions.json">Export JSON</a>
        </span>
      </form>
      {error && <Problem text={error} />}
      {found && (
        <section class="panel" aria-label="Decisions found">
          <p class="quiet" role="status" data-testid="total">{found.total} {found.total === 1 ? "decision" : "decisions"}</p>
          <ol class="decisions">
            {found.decisions.map((decision) => <DecisionItem key={decision.number} decision={decision} run={overview.run} link={run} />)}
          </ol>
          {found.total > found.decisions.length && <button type="button" onClick={() => setMost(most + 200)}>Show more</button>}
        </section>
      )}
      <AuditLog />
    </>
  );
}

function Choice({ label, value, choose, options }: { label: string; value: string; choose: (value: string) => void; options: string[] }) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">any</option>
        {value && !options.includes(value) && <option>{value}</option>}
        {options.map((option) => <option key={option}>{option}</option>)}
      </select>
    </label>
  );
}

function AuditLog() {
  const { overview } = useSite();
  const [found] = useAnswer<Audit[]>("audit", { run: overview.run.id }, `${overview.control.waiting.length} ${overview.control.paused_by} ${overview.control.dry_run} ${overview.control.proposals.length}`);
  return (
    <Panel title="Audit log: who did what">
      {found?.length === 0 && <p class="quiet">Nobody has asked this run's controller for anything.</p>}
      {found !== null && found.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Audit log, a table">
          <table>
            <thead><tr><th scope="col">when</th><th scope="col">who</th><th scope="col">act</th><th scope="col">about</th></tr></thead>
            <tbody>
              {found.map((entry, index) => (
                <tr key={index}><td>{when(entry.at_epoch_s)}</td><td>{entry.who}</td><td>{entry.act}</td><td>{entry.detail}</td></tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}
