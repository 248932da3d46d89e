// Which part of the run is shown: the last hours, or from one instant to another, without a mouse as well.

import { useState } from "preact/hooks";
import { fromInput, span, toInput } from "./format";
import { SPANS, useSite } from "./site";

export function TimeShown() {
  const { overview, span_s, setSpan, zoom, setZoom } = useSite();
  const [open, setOpen] = useState(false);
  return (
    <span class="spans" role="group" aria-label="Time shown">
      {SPANS.map(([name, value]) => (
        <button type="button" key={name} aria-pressed={value === span_s && zoom === null} onClick={() => setSpan(value)}>{name}</button>
      ))}
      {zoom && <button type="button" aria-pressed="true" onClick={() => setZoom(null)}>zoomed: {span(zoom[1] - zoom[0])} ✕</button>}
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>from … to</button>
      {open && <Range key={`${zoom} ${overview.run.id}`} />}
    </span>
  );
}

/** Any part of the run, by its two ends. */
function Range() {
  const { overview, zoom, setZoom } = useSite();
  const { run, totals } = overview;
  const ofDay = run.started_at !== null;
  const [from, setFrom] = useState(toInput(run, zoom?.[0] ?? totals.at_s[0] ?? 0));
  const [to, setTo] = useState(toInput(run, zoom?.[1] ?? totals.at_s.at(-1) ?? 0));
  const [error, setError] = useState<string | null>(null);
  const submit = (event: Event): void => {
    event.preventDefault();
    const [first, last] = [fromInput(run, from), fromInput(run, to)];
    if (first === null || last === null) return setError("Give hours, minutes and seconds, such as 0:12:30.");
    if (first >= last) return setError("The end has to be after the beginning.");
    setError(null);
    setZoom([first, last]);
  };
  const field = (value: string, set: (value: string) => void) => {
    const common = { required: true, value, onInput: (event: { currentTarget: HTMLInputElement }) => set(event.currentTarget.value) };
    return ofDay ? <input type="datetime-local" step={1} {...common} /> : <input type="text" size={8} placeholder="0:12:30" {...common} />;
  };
  return (
    <form class="range" onSubmit={submit}>
      <label>from {field(from, setFrom)}</label>
      <label>to {field(to, setTo)}</label>
      <button type="submit">Show</button>
      {error && <span class="error" role="alert">{error}</span>}
    </form>
  );
}
