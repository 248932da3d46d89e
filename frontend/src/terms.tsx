// What each figure means, one meaning everywhere: told where the pointer, or a finger, is at its name, and on a sheet.

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";

export const MEANINGS = {
  "utility": "How much of what was asked for is there, in the units of the intents: of a tenant the mean over its targets, of all the sum. Of the most that there could be; who is starting counts in neither.",
  "SLOs met": "Tenants that have all they asked for by figures of now, of those that have started. Old figures are no proof.",
  "slots": "A slot runs one task at a time. “5 of 8 slots given”: as long as all weights fit in the slots, a weight is so many slots. “8 slots by weight”: the weights are more than the slots, which are shared in their proportion.",
  "threads": "Operators with threads of their own hold what they have: nothing is shared.",
  "decisions": "All that the policy decided in this run. Helped: the utility that came was higher, when it had had a minute to show.",
  "weight": "What is turned to share the slots. Beside all weights it says what part of the slots a tenant may claim.",
  "its share": "The slots that its weight stands for while everybody wants some. It may use more when others leave theirs.",
  "busy": "For how much of the time its share of the slots, or its operator's threads, worked: never above 100 %. What was used beyond the share is told in slots.",
  "slots used": "The slots that its tasks filled on average, its own and those that others left.",
  "cores used": "The cores that its tasks kept busy, whatever slots they ran in: a task that waits holds a slot and needs no core.",
  "arriving": "New rows a second at its source.",
  "processed": "Rows a second that it has done.",
  "waiting": "Rows that have arrived and are not done.",
  "asks for": "Its targets, from its file or as somebody changed them.",
  "has": "What it has of each target, now; ~ where it is worked out from what waits.",
  "cost": "Its share of the slots, or its threads, at the price of a slot hour in the tenants file.",
  "off by": "The mean distance between the predicted and the actual utility, as a share of its maximum.",
  "error budget": "The windows of its period in which it may miss what it asks for; the share of them that is left.",
  "kept state": "What its stateful operators keep, in bytes.",
  "recovery": "How long until it is back to normal after a failure now, with what waits by then made up for.",
  "load": "Threads that run or could, on a machine's cores; more than cores means that some wait for one.",
  "memory": "The share of a machine's memory that is taken.",
  "executors": "Processes of the application on a machine, which bring its slots.",
  "met": "The share of the time in which it had all it asked for; time in which nobody knew is not met.",
  "share of utility": "Utility of the utility that could be had, over the time.",
  "rows in and out": "Rows that came into a stage of the plan and left it, in the time that is looked at each cycle.",
  "tasks": "Into how many tasks a stage is cut: so many of its rows' parts can be worked on at a time.",
  "shuffled": "Bytes that a stage read from others, on its own machine or over the network.",
  "keys": "Keys that the routing table sends to a machine, and the share of the rows that have them.",
  "lever": "What can be turned: how it stands, what was asked for and has not come yet, its limits, whom a turn disturbs and when it shows.",
  "missed": "Time in which it was seen not to have what it asked for.",
  "nobody knew": "Time without figures, or with old ones, although it ran: not counted as met.",
  "latency": "From a row's arrival to its end: means and quantiles over the rows of a cycle's window.",
  "juice": "The share of the input that is processed.",
} as const;

export type Meaning = keyof typeof MEANINGS;

const WIDTH = 320;
const EDGE = 8;
const ROOM = 150; // below the name; where there is less it is told above

/** The name of a figure, which tells what it means. Reached by pointer and finger; the sheet is for the keyboard. */
export function Term({ of, children }: { of: Meaning; children?: ComponentChildren }) {
  const id = useId();
  const name = useRef<HTMLSpanElement>(null);
  const [style, setStyle] = useState<Record<string, string> | null>(null);
  const tell = (): void => setStyle(beside(name.current!.getBoundingClientRect()));
  const hide = (): void => setStyle(null);
  useEffect(() => {
    if (style === null) return;
    const escaped = (event: KeyboardEvent): void => { if (event.key === "Escape") hide(); };
    addEventListener("keydown", escaped);
    addEventListener("scroll", hide, true);
    return () => {
      removeEventListener("keydown", escaped);
      removeEventListener("scroll", hide, true);
    };
  }, [style]);
  return (
    <span class="term" ref={name} tabIndex={-1} aria-describedby={id} onMouseEnter={tell} onMouseLeave={hide} onFocus={tell} onBlur={hide}>
      {children ?? of}
      <span role="tooltip" id={id} class="meaning" hidden={style === null} style={style ?? undefined}>{MEANINGS[of]}</span>
    </span>
  );
}

/** Where it is told: within the window, below its name or above it. */
function beside(name: DOMRect): Record<string, string> {
  const width = Math.min(WIDTH, innerWidth - 2 * EDGE);
  const left = Math.max(EDGE, Math.min(name.left, innerWidth - width - EDGE));
  const room = innerHeight - name.bottom;
  return { width: `${width}px`, left: `${left}px`, ...(room < ROOM ? { bottom: `${innerHeight - name.top}px` } : { top: `${name.bottom}px` }) };
}

/** All of them, to read. */
export function MeaningList() {
  return (
    <dl class="meanings">
      {Object.entries(MEANINGS).map(([name, meaning]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
