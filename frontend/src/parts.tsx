// Parts that several pages have.

import type { ComponentChildren } from "preact";
import { WHOLE, type Act, type Came, type Decision, type Run, type State, type Tenant } from "./api";
import { clock, number, sentence, signs } from "./format";
import { link } from "./route";
import { Term, type Meaning } from "./terms";
import { WithoutIt } from "./worth";

const STATES: Record<State, [string, string]> = {
  missing: ["▼", "misses its target"],
  blind: ["?", "blind: no figures"],
  stale: ["…", "stale: old figures"],
  starting: ["◐", "starting"],
  resting: ["☾", "resting"],
  fine: ["✓", "met"],
};

const CAME: Record<Came, [string, string, string]> = {
  better: ["▲", "good", "It helped"],
  "no change": ["●", "plain", "No change"],
  worse: ["▼", "bad", "It made things worse"],
  "not judged yet": ["…", "plain", "Too early to say"],
  "not judged": ["–", "plain", "Not known"],
  "not done": ["✕", "bad", "Could not be done"],
  "not carried out": ["○", "plain", "Not carried out"],
};

export function StateBadge({ state }: { state: State }) {
  const [sign, words] = STATES[state];
  return (
    <span class={`badge ${state}`}>
      <span aria-hidden="true">{sign}</span> {words}
    </span>
  );
}

export function CameBadge({ came, told }: { came: Came; told?: boolean }) {
  const [sign, kind, words] = CAME[came];
  return (
    <span class={`came ${kind}`}>
      <span aria-hidden="true">{sign}</span> {told ? words : came}
    </span>
  );
}

/** How a decision turned out, with its figures. */
export function Outcome({ decision }: { decision: Decision }) {
  const { utility_before: before, utility_came: came, expected_utility: expected } = decision;
  return (
    <span class="outcome">
      <CameBadge came={decision.came} told />
      {came !== null && (
        <span class="figures">
          utility {number(before)} → {number(came)}
          {expected !== null && <span class="quiet"> (expected {number(expected)})</span>}
        </span>
      )}
      {came === null && expected !== null && <span class="quiet">; expected: utility {number(before)} → {number(expected)}</span>}
      {decision.errors.map((error) => (
        <span class="error" key={error}>{error}</span>
      ))}
    </span>
  );
}

/** Whether more is to be said than that it helped, or not: why what made things worse is kept, or what was seen later. */
export function wantsWords(decision: Decision): boolean {
  return decision.came === "worse" || decision.came === "not judged" || /after all|taken back/.test(decision.verdict ?? "");
}

export function DecisionItem({ decision, run, link: runLink }: { decision: Decision; run: Run; link: string }) {
  return (
    <li class="decision" id={`d${decision.number}`}>
      <div class="head">
        <span class="number">{decision.number}</span>
        <time>{clock(run, decision.at_s)}</time>
        <b>{decision.reason}</b>
        <span class="who">
          {decision.jobs.map((job) => job === WHOLE ? <span key={job}>{job}</span> : (
            <a key={job} href={link("tenant", { run: runLink, job })}>{job}</a>
          ))}
        </span>
      </div>
      <p class="what">{signs(decision.text)}</p>
      <p class="why">{signs(decision.why)}</p>
      {decision.foretold && <p class="quiet foretold">Predicted: {signs(decision.foretold)}.</p>}
      <p><Outcome decision={decision} /></p>
      {decision.verdict && (decision.foretold || wantsWords(decision)) && <p class="quiet verdict-text">{sentence(decision.verdict)}</p>}
      <WithoutIt decision={decision} run={run.id} />
    </li>
  );
}

/** What keeps a tenant below its intent, and what would help. */
export function Binds({ binds }: { binds: Tenant["binds"] }) {
  return (
    <ul class="binds">
      {binds.slice(0, 2).map((bind) => (
        <li key={bind.what}>
          {sentence(bind.what)} <span class="quiet">What would help: {bind.helps}.</span>
        </li>
      ))}
    </ul>
  );
}

/** The acts that charts mark with diamonds, in words. */
export function Acts({ acts, run }: { acts: Act[]; run: Run }) {
  if (acts.length === 0) return null;
  const shown = acts.slice(-ACTS);
  return (
    <p class="marks acts-told quiet" data-testid="acts">
      <span class="act">◆ by people:</span>{" "}
      {acts.length > shown.length && `${acts.length - shown.length} earlier; `}
      {shown.map((act) => `${clock(run, act.at_s)} ${signs(act.text)}`).join("; ")}
    </p>
  );
}

const ACTS = 5;

export function Bar({ share, kind = "plain", label }: { share: number | null; kind?: string; label: string }) {
  if (share === null) return <span class="quiet">–</span>;
  return (
    <span class={`bar ${kind}`} role="img" aria-label={label}>
      <span style={{ width: `${Math.round(Math.min(1, Math.max(0, share)) * 100)}%` }} />
    </span>
  );
}

/** A figure by its name; `means` where its meaning goes by another. */
export function Stat({ label, means, children, kind }: { label: string; means: Meaning; children: ComponentChildren; kind?: string }) {
  return (
    <div class={`stat ${kind ?? ""}`}>
      <dt><Term of={means}>{label}</Term></dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A column of figures. */
export function Column({ of, children, text }: { of: Meaning; children?: ComponentChildren; text?: boolean }) {
  return <th scope="col" class={text ? undefined : "n"}><Term of={of}>{children ?? of}</Term></th>;
}

export function Panel({ title, aside, children, id }: { title: string; aside?: ComponentChildren; children: ComponentChildren; id?: string }) {
  const heading = `${id ?? title.toLowerCase().replace(/[^a-z]+/g, "-")}-heading`;
  return (
    <section class="panel" aria-labelledby={heading}>
      <header>
        <h2 id={heading}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

export function Problem({ text }: { text: string }) {
  return <p class="problem" role="alert">{text}</p>;
}
