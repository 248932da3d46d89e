// What each figure means, one meaning everywhere: told where the pointer, or a finger, is at its name, and on a sheet.

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";

export const MEANINGS = {
  "utility": "How far intents are met, in the units of the intents. A tenant's utility is the mean over its targets; the total is the sum over tenants. It is shown with its maximum. Tenants that are starting count in neither.",
  "SLOs met": "Tenants that meet their intent, of those that have started. Only current metrics count.",
  "slots": "A slot runs one task at a time. “5 of 8 slots given”: the weights fit in the slots, so a weight is a number of slots. “8 slots, weights of 11 in all”: the weights exceed the slots, which are divided in proportion.",
  "threads": "Operators that have threads of their own share nothing.",
  "decisions": "All decisions of this run. “Helped” means that utility was higher after a minute.",
  "weight": "The value that penstock sets to divide the slots. A tenant's part is its weight relative to all weights.",
  "its share": "The slots that its weight amounts to while all tenants have work. It may use more if others are idle.",
  "busy": "The share of time that its slots, or its operator's threads, worked, at most 100 %. Use beyond its share is shown in slots.",
  "slots used": "The slots that its tasks filled on average, including idle slots of others.",
  "cores used": "The cores that its tasks kept busy. A waiting task holds a slot, but needs no core.",
  "arriving": "New rows per second at its source.",
  "processed": "Rows per second that it processes.",
  "waiting": "Rows that have arrived and are not processed yet.",
  "asks for": "Its targets, from its file or as changed later.",
  "has": "The present value for each target. ~ marks an estimate from the backlog.",
  "cost": "Its share of the slots, or its threads, at the price of a slot hour in the tenants file.",
  "off by": "The mean distance between the predicted and the actual utility, as a share of its maximum.",
  "error budget": "How much of the time it may miss its intent, and the share of that which is left.",
  "kept state": "The size of its operators' state, in bytes.",
  "recovery": "The time to recover from a failure now, including the backlog that builds up.",
  "load": "Running and runnable threads of a machine. If there are more than cores, some wait.",
  "memory": "The share of a machine's memory in use.",
  "executors": "Processes of the application on a machine. They provide its slots.",
  "met": "The share of time in which it met its intent. Unknown time counts as not met.",
  "share of utility": "Utility relative to its maximum, over the time shown.",
  "rows in and out": "Rows into and out of a stage of the plan, in a cycle's window.",
  "tasks": "The number of tasks of a stage. At most so many can run at once.",
  "shuffled": "Bytes that a stage read from other stages, locally or over the network.",
  "keys": "Keys that the routing table assigns to a machine, and their share of the rows.",
  "lever": "What penstock can change: its value, pending value, limits, what a change disturbs, and when it takes effect.",
  "missed": "Time in which it missed its intent.",
  "nobody knew": "Time without current metrics, although it ran. It does not count as met.",
  "latency": "From a row's arrival to its result: means and quantiles over the rows of a cycle's window.",
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
