// What would help a tenant: the cheapest change that was enough in the simulator, and ways to act on it.

import { useEffect, useState } from "preact/hooks";
import { changedIntent, get, SIMULATED_WITHIN_MS, worded, type Figure, type Question, type Remedies, type Remedy as Change, type Tenant } from "./api";
import { useAct } from "./controls";
import { percent, sentence, signs, tenths } from "./format";
import { Problem } from "./parts";
import { link } from "./route";
import { useSite } from "./site";

const MINUTES = 5; // that a what-if is asked for

/** Asked for at once where it is `urgent`, else when somebody wants to know: an answer takes seconds of a simulator. */
export function Remedy({ tenant, urgent }: { tenant: Tenant; urgent: boolean }) {
  const { overview, gone } = useSite();
  const [found, setFound] = useState<Remedies | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [wanted, setWanted] = useState(urgent);
  const run = overview.run.id;
  const asks = wanted && found === null && error === null;
  useEffect(() => {
    setFound(null);
    setError(null);
  }, [run, tenant.name, tenant.intent]);
  useEffect(() => {
    if (!asks) return;
    let left = false;
    get<Remedies>("remedies", { run, job: tenant.name }, SIMULATED_WITHIN_MS).then(
      (answer) => { if (!left) setFound(answer); },
      (problem: unknown) => { if (!left) setError(worded(problem)); },
    );
    return () => { left = true; };
  }, [asks, run, tenant.name, tenant.intent]);
  const again = (): void => {
    setFound(null);
    setError(null);
    setWanted(true);
  };
  if (found !== null) return <Found found={found} tenant={tenant} again={again} />;
  if (asks) return <p class="quiet" role="status">Trying changes in the simulator, the cheapest first…</p>;
  return (
    <>
      {error && <Problem text={error} />}
      <button type="button" disabled={gone} onClick={again}>What would help?</button>
    </>
  );
}

/** What the tenant's target would cost at the next nine: asked for when somebody wants to know. */
export function NextNine({ tenant }: { tenant: Tenant }) {
  const { overview, gone } = useSite();
  const [found, setFound] = useState<Remedies | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const ask = (): void => {
    setBusy(true);
    get<Remedies>("remedies", { run: overview.run.id, job: tenant.name, nine: "true" }, SIMULATED_WITHIN_MS)
      .then((answer) => { setFound(answer); setError(null); }, (problem: unknown) => setError(worded(problem)))
      .finally(() => setBusy(false));
  };
  return (
    <>
      {found && <p data-testid="next-nine">{sentence(signs(found.text))}<Off of={found.off} /></p>}
      {error && <Problem text={error} />}
      <button type="button" class="plain small" disabled={gone || busy} onClick={ask}>{busy ? "Simulating…" : found ? "Look again" : "What would the next nine cost?"}</button>
    </>
  );
}

function Off({ of }: { of: Figure }) {
  return of === null ? null : <span class="quiet"> Tried on what really happened, the simulator was off by {tenths(of)} of its utility.</span>;
}

function Found({ found, tenant, again }: { found: Remedies; tenant: Tenant; again: () => void }) {
  const { overview, session, gone, run } = useSite();
  const [act, error] = useAct();
  const [sent, setSent] = useState(false);
  const mayAct = overview.control.live && session.role === "operate";
  const best = found.cheapest;
  const kept = keeping(tenant, found);
  const ask = (body: Record<string, unknown>): void => void act(body).then(setSent);
  return (
    <div data-testid="remedy">
      <p class="remedy">
        {sentence(found.text)}
        <Off of={found.off} />
      </p>
      {kept && !found.by_itself && <p class="remedy">As it is {tenant.name} would keep {kept.text}{found.met === null ? "" : `; what it asks for now, ${percent(found.met)} of the time`}.</p>}
      <span class="acts">
        {best && <a class="button" href={link("what-if", { run, job: tenant.name, ask: JSON.stringify(question(best)) })}>Try it in what-if</a>}
        {best?.ask && mayAct && <button type="button" class="primary" disabled={gone || sent} onClick={() => ask({ act: "turn", ...best.ask })}>Ask for it</button>}
        {kept && mayAct && !found.by_itself && (
          <button type="button" disabled={gone || sent} onClick={() => ask({ act: "intent", job: tenant.name, intents: kept.intents })}>Ask for {kept.text} instead</button>
        )}
        <button type="button" class="plain" disabled={gone} onClick={again}>Look again</button>
      </span>
      {best?.kind === "limit" && <p class="quiet">The tenants file sets its limit: change max_slots there.</p>}
      {sent && !error && <p role="status">It takes effect at the start of the next cycle.</p>}
      {error && <Problem text={error} />}
    </div>
  );
}

/** The what-if that tries a change again, over minutes rather than two. */
export function question(change: Change): Question {
  return {
    minutes: MINUTES,
    ...(change.slots === null ? {} : { slots: change.slots }),
    ...(change.turns.length ? { turns: change.turns } : {}),
    ...(Object.keys(change.max_slots).length ? { max_slots: change.max_slots } : {}),
  };
}

/** What the tenant would keep as it is, in words and as an intent to ask for. */
export function keeping(tenant: Tenant, found: Remedies): { text: string; intents: ReturnType<typeof changedIntent> } | null {
  const { keeps } = found;
  if (keeps === null || keeps.length !== tenant.targets.length) return null;
  const told = tenant.targets.map((target, place) => target.text.replace(/(<=|>=).*$/, (_, sign: string) => `${signs(sign)} ${keeps[place]}${target.kind === "juice" ? "" : "s"}`));
  return { text: told.join(", "), intents: changedIntent(tenant, keeps, (target) => target.utility) };
}

/** A proposal that waits for this tenant's yes, with its buttons. */
export function Waits({ tenant }: { tenant: Tenant }) {
  const { overview, session, gone } = useSite();
  const [act, error] = useAct();
  const proposal = overview.control.proposals.find((one) => one.jobs.includes(tenant.name));
  if (proposal === undefined) return null;
  const answer = (said: "approve" | "refuse"): void => void act({ act: said, proposal: proposal.number });
  return (
    <>
      <dt>Waits</dt>
      <dd>
        {signs(proposal.text)} <span class="quiet">waits for approval.</span>{" "}
        {session.role === "operate" && (
          <span class="acts">
            <button type="button" class="primary" disabled={gone} onClick={() => answer("approve")}>Approve</button>
            <button type="button" disabled={gone} onClick={() => answer("refuse")}>Refuse</button>
          </span>
        )}
        {error && <Problem text={error} />}
      </dd>
    </>
  );
}
