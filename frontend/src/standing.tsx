// What is not as it should be, and what to do about it: each state of the server, the store, a run and a tenant.

import type { ComponentChildren } from "preact";
import type { Control, State } from "./api";
import type { Unread } from "./live";
import { sentence, span } from "./format";
import { link } from "./route";
import { useSite, type Site } from "./site";

const TO_DO: Partial<Record<State, string>> = {
  blind: "See whether its query makes progress: the Structured Streaming tab of Spark’s UI and the driver’s log tell. Figures come with the end of its next batch.",
  stale: "Nothing came of it for a while: a long batch, a query that stands still, or a driver without time. The Structured Streaming tab of Spark’s UI and the driver’s log tell which.",
  starting: "Wait for its first batch: figures come with its end. Without any after a minute it is told as blind.",
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
        <>Govern something: <code>penstock run tenants.yaml</code>, or <code>penstock attach</code> to a driver that runs.</>,
        <>Have something to look at: <code>penstock serve --scenario scenarios/spark/urgent.yaml</code>.</>,
        <>If it was recorded in another place: <code>penstock serve --store PLACE</code>.</>,
      ]}
    />
  );
}

const NOT_BEGUN = /has not begun/;

/** What to do about a store that cannot be read: the server knows it, and says it. */
function ofStore(remedy: string | null): ComponentChildren {
  return coded(sentence(remedy ?? "the log of this server says what is wrong"));
}

/** Words of the server, in which what can be typed stands between backticks. */
function coded(text: string): ComponentChildren {
  return text.split("`").map((part, place) => (place % 2 ? <code key={place}>{part}</code> : part));
}

/** Nothing can be shown yet, and it may come. */
export function NotYet({ error, remedy }: { error: string; remedy: string | null }) {
  if (NOT_BEGUN.test(error)) {
    return <Standing kind="wait" busy told={error} why="The page looks again every second." todo={[<>If it stays so, the terminal in which the run was started says what it waits for.</>]} />;
  }
  if (error === UNREACHED) return <Unreached />;
  return (
    <Standing
      kind="wait"
      busy
      told="What is recorded cannot be read now."
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
  return <>See whether <code>penstock serve</code>, or the controller with <code>--dashboard</code>, still runs at {location.host}, and what it said last.</>;
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
        told="This run has no cycle: it has not begun to govern, or ended before it did."
        why={control.said || undefined}
        todo={[<>The terminal or the log of its controller says why.</>, <><a href={link("overview")}>Look at the newest run</a> instead.</>]}
      />
    );
  }
  const first = control.interval_s === null ? "" : `The first one comes ${span(control.interval_s)} after the start. `;
  return (
    <Standing
      kind={site.gone ? "over" : "wait"}
      busy
      told={`${run.name} is starting: no cycle yet.`}
      why={`${first}Figures of a tenant come with the end of its first batch.`}
      todo={[<>If it stays so, the log of its controller says what it waits for.</>]}
    />
  );
}

/** The server is not there, sends no news, or cannot read what is recorded: whatever stands below is as it was. */
export function Gone({ since, unread }: { since: number | null; unread: Unread | null }) {
  const from = since ?? unread?.since ?? null;
  const [words, todo] =
    since !== null || unread === null ? ["The server has not answered", <Process />]
    : unread.unheard ? ["The server answers, and sends no news", <>It may be slow to read what is recorded, or as many pages watch already as may: close some.</>]
    : ["The server cannot read what is recorded", ofStore(unread.remedy)];
  return (
    <p class="problem gone" role="alert" data-testid="gone">
      <b>{words}{from === null ? "" : ` since ${new Date(from).toLocaleTimeString("en-GB")}`}.</b>{since === null && unread?.message ? ` ${sentence(unread.message)}` : ""} What is shown is as it was then, and nothing can be
      asked for. Whether governing goes on cannot be told from here; the page tries again every second. {todo}
    </p>
  );
}

const WAS = "As it was: ";
const AS_OF: Record<Control["life"], string> = { live: "", awaited: "As last told: ", ended: "At its end: ", silent: WAS, ahead: WAS };

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
  return <p class={`${lost ? "problem" : "lead"} last-sign`} role={lost ? "alert" : undefined}>{coded(said)}{live ? "" : " Until one governs again nothing is decided, and nothing can be asked for."}</p>;
}
