// What is not as it should be, and what to do about it: each state of the server, the store, a run and a tenant.

import type { ComponentChildren } from "preact";
import type { Control, State } from "./api";
import type { Unread } from "./live";
import { sentence, span } from "./format";
import { link } from "./route";
import { useSite, type Site } from "./site";

const TO_DO: Partial<Record<State, string>> = {
  blind: "Check in Spark’s UI (Structured Streaming) or in the driver’s log whether its query makes progress. Metrics arrive at the end of its next batch.",
  stale: "No metrics arrived for a while: a long batch, a stuck query or a busy driver. Spark’s UI (Structured Streaming) and the driver’s log show which.",
  starting: "Wait for the end of its first batch, which brings metrics. After a minute without any, its state becomes blind.",
};

/** What somebody can do for a tenant of whom too little is known; what would help one that misses its target is its remedy. */
export function toDo(state: State): string | null {
  return TO_DO[state] ?? null;
}

interface Told {
  kind: "bad" | "wait" | "over";
  told: string;
  why?: string;
  busy?: boolean; // it may pass by itself
  todo?: ComponentChildren[];
  alert?: boolean;
}

export function Standing({ kind, told, why, busy = false, todo = [], alert = false }: Told) {
  return (
    <section class={`headline ${kind}`} {...(alert ? { role: "alert" as const, "aria-label": "Not there" } : { "aria-label": "Now" })} aria-busy={busy}>
      <h1 data-testid={alert ? undefined : "headline"}>{told}</h1>
      {why && <p class="lead">{why}</p>}
      {todo.length > 0 && <ul class="lead to-do" aria-label="What to do">{todo.map((one, place) => <li key={place}>{one}</li>)}</ul>}
    </section>
  );
}

/** Nothing was ever recorded here. */
export function Empty() {
  return (
    <Standing
      kind="wait"
      busy
      told="No run is recorded here yet."
      why="The page looks again every second."
      todo={[
        <>Govern something: <code>penstock run tenants.yaml</code>, or <code>penstock attach</code> to a running driver.</>,
        <>Look at a simulation: <code>penstock serve --scenario scenarios/spark/urgent.yaml</code>.</>,
        <>If runs are recorded elsewhere: <code>penstock serve --store PLACE</code>.</>,
      ]}
    />
  );
}

const NOT_BEGUN = /has not begun/;

/** What to do about a store that cannot be read: the server knows it, and says it. */
function ofStore(remedy: string | null): ComponentChildren {
  return coded(sentence(remedy ?? "see the log of this server"));
}

/** Words of the server, in which what can be typed stands between backticks. */
function coded(text: string): ComponentChildren {
  return text.split("`").map((part, place) => (place % 2 ? <code key={place}>{part}</code> : part));
}

/** Nothing can be shown yet, and it may come. */
export function NotYet({ error, remedy }: { error: string; remedy: string | null }) {
  if (NOT_BEGUN.test(error)) {
    return <Standing kind="wait" busy told={error} why="The page looks again every second." todo={[<>If this does not change, look at the terminal that started the run.</>]} />;
  }
  if (error === UNREACHED) return <Unreached />;
  return (
    <Standing
      kind="wait"
      busy
      told="The store cannot be read."
      why={`${sentence(error)} The page tries again every second.`}
      todo={[ofStore(remedy)]}
    />
  );
}

const UNREACHED = "The server cannot be reached.";

export function Unreached() {
  return <Standing kind="bad" busy told={UNREACHED} why="The page tries again every second." todo={[<Process />]} />;
}

function Process() {
  return <>Check whether <code>penstock serve</code>, or the controller with <code>--dashboard</code>, still runs at {location.host}, and read its last messages.</>;
}

/** Something that was asked for by its name and is not there: its error, and no figures of anything else. */
export function Unknown({ text }: { text: string }) {
  return <Standing kind="bad" alert told={text} todo={[<><a href={link("overview")}>Look at the newest run</a> instead.</>]} />;
}

/** Begun, and nothing seen yet: no headline of another time stands in for it. */
export function NoCycle({ site }: { site: Site }) {
  const { control, run } = site.overview;
  if (!control.live) {
    return (
      <Standing
        kind="over"
        told="This run has no cycle: governing has not begun, or the run ended before that."
        why={control.said || undefined}
        todo={[<>See the terminal or log of its controller.</>, <><a href={link("overview")}>Look at the newest run</a> instead.</>]}
      />
    );
  }
  const first = control.interval_s === null ? "" : `The first one comes ${span(control.interval_s)} after the start. `;
  return (
    <Standing
      kind={site.gone ? "over" : "wait"}
      busy
      told={`${run.name} is starting: no cycle yet.`}
      why={`${first}A tenant’s metrics arrive at the end of its first batch.`}
      todo={[<>If this does not change, see the log of its controller.</>]}
    />
  );
}

/** The server is not there, sends no news, or cannot read what is recorded: whatever stands below is as it was. */
export function Gone({ since, unread }: { since: number | null; unread: Unread | null }) {
  const from = since ?? unread?.since ?? null;
  const [words, todo] =
    since !== null || unread === null ? ["The server has not answered", <Process />]
    : unread.unheard ? ["The server answers, but sends no updates", <>It may be slow to read the store, or too many pages are open: close some.</>]
    : ["The server cannot read the store", ofStore(unread.remedy)];
  return (
    <p class="problem gone" role="alert" data-testid="gone">
      <b>{words}{from === null ? "" : ` since ${new Date(from).toLocaleTimeString("en-GB")}`}.</b>{since === null && unread?.message ? ` ${sentence(unread.message)}` : ""} What is shown is as it was then, and nothing can be
      asked for. Whether governing goes on cannot be told from here; the page tries again every second. {todo}
    </p>
  );
}

const WAS = "Last known: ";
const AS_OF: Record<Control["life"], string> = { live: "", awaited: "Last known: ", ended: "At its end: ", silent: WAS, ahead: WAS };

/** Stands before what is told where it is not known to be so now. */
export function AsOf() {
  const { gone, overview } = useSite();
  const told = gone ? WAS : AS_OF[overview.control.life];
  return told ? <span class="when">{told}</span> : null;
}

/** What is to be said of the run's controller: that it ended or was not heard of, or that its clock tells nothing. */
export function LastSign({ site }: { site: Site }) {
  const { live, life, said } = site.overview.control;
  if (said === "") return null;
  const lost = life === "silent" || life === "ahead";
  return <p class={`${lost ? "problem" : "lead"} last-sign`} role={lost ? "alert" : undefined}>{coded(said)}{live ? "" : " Until a controller runs again, nothing is decided and requests are not accepted."}</p>;
}
