// What decisions brought: how it would have gone without each, simulated one at a time while somebody looks.

import { useEffect, useState } from "preact/hooks";
import { get, SIMULATED_WITHIN_MS, worded, type Decision, type Without, type Worth } from "./api";
import { sentence } from "./format";
import { useSite } from "./site";

const FIRST_MS = 2000; // after the page is there
const NEXT_MS = 500; // between two decisions: others may want the simulator, too

/** The sum over the newest decisions, which grows while they are tried. */
export function useWorth(): Worth | null {
  const { overview, gone } = useSite();
  const [found, setFound] = useState<Worth | null>(null);
  const run = overview.run.id;
  const judged = overview.decisions.filter((decision) => decision.utility_came !== null).length;
  useEffect(() => setFound(null), [run]);
  useEffect(() => {
    if (judged === 0 || gone) return;
    let left = false;
    let timer = 0;
    const next = (): void => {
      if (document.hidden) timer = window.setTimeout(next, FIRST_MS);
      else
        get<Worth>("worth", { run }, SIMULATED_WITHIN_MS).then(
          (answer) => {
            if (left) return;
            setFound(answer);
            if (answer.waits > 0) timer = window.setTimeout(next, NEXT_MS);
          },
          () => undefined, // it is told with the next decision, or not at all
        );
    };
    timer = window.setTimeout(next, FIRST_MS);
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [run, judged, gone]);
  return found;
}

/** The sum in words; nothing as long as nothing is known. */
export function Brought({ worth }: { worth: Worth | null }) {
  if (worth === null || (!worth.text && worth.waits === 0)) return null;
  return (
    <>
      <dt>Brought</dt>
      <dd data-testid="worth">
        {worth.text ? sentence(worth.text) : "Simulating the run without each decision…"}
        {worth.text && worth.waits > 0 && <span class="quiet"> {worth.waits} more to be tried…</span>}
      </dd>
    </>
  );
}

/** Of one decision: asked for when somebody wants to know. */
export function WithoutIt({ decision, run }: { decision: Decision; run: string }) {
  const [found, setFound] = useState<Without | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const ask = (): void => {
    setBusy(true);
    get<Without>("without", { run, decision: decision.number }, SIMULATED_WITHIN_MS)
      .then((answer) => { setFound(answer); setError(null); }, (problem: unknown) => setError(worded(problem)))
      .finally(() => setBusy(false));
  };
  if (decision.came === "not carried out") return null;
  if (found !== null) return <p class="quiet without" data-testid="without">{sentence(found.text)}</p>;
  return (
    <p class="without">
      <button type="button" class="plain small" disabled={busy} onClick={ask}>{busy ? "Simulating…" : "Simulate without it"}</button>
      {error && <span class="error"> {error}</span>}
    </p>
  );
}
