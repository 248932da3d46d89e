// Levers: how each stands, what a change disturbs and when it shows; who may act asks for a value.

import { useState } from "preact/hooks";
import { WHOLE, type Lever } from "./api";
import { useAct } from "./controls";
import { ABSENT } from "./format";
import { Column, Panel, Problem } from "./parts";
import { useSite } from "./site";

export function Levers({ levers }: { levers: Lever[] }) {
  const { overview, session, gone } = useSite();
  const [act, error] = useAct();
  const [sent, setSent] = useState<string | null>(null);
  const mayAct = overview.control.live && session.role === "operate";
  if (levers.length === 0) return null;
  const ask = async (lever: Lever, value: number | null): Promise<boolean> => {
    const done = await act({ act: "turn", kind: lever.kind, job: lever.job === WHOLE ? null : lever.job, operator: lever.operator, value });
    setSent(done ? lever.name : null);
    return done;
  };
  return (
    <Panel title="Levers">
      <table class="levers">
        <thead>
          <tr>
            <th scope="col">lever</th>
            <Column of="lever">now</Column>
            <Column of="lever">asked</Column>
            <Column of="lever" text>limits</Column>
            <Column of="lever" text>a change disturbs</Column>
            <Column of="lever" text>it shows</Column>
            {mayAct && <th scope="col">ask for</th>}
          </tr>
        </thead>
        <tbody>
          {levers.map((lever) => (
            <tr key={`${lever.kind} ${lever.operator}`} data-lever={lever.name}>
              <th scope="row">{lever.name}</th>
              <td class="n" data-label="now">{lever.now_text}</td>
              <td class="n" data-label="asked">{lever.asked_text ?? ABSENT}</td>
              <td data-label="limits">{lever.limits}</td>
              <td data-label="a change disturbs">{lever.disturbs}</td>
              <td data-label="it shows">{lever.shows}</td>
              {mayAct && <td><Ask lever={lever} ask={ask} gone={gone} /></td>}
            </tr>
          ))}
        </tbody>
      </table>
      {sent && !error && <p class="asked-for" role="status">{sent}: heard at the start of the next cycle, once, ahead of the policy's own decisions.</p>}
      {error && <Problem text={error} />}
    </Panel>
  );
}

function Ask({ lever, ask, gone }: { lever: Lever; ask: (lever: Lever, value: number | null) => Promise<boolean>; gone: boolean }) {
  const [value, setValue] = useState("");
  const submit = (event: Event): void => {
    event.preventDefault();
    void ask(lever, Number(value)).then((done) => done && setValue(""));
  };
  return (
    <form onSubmit={submit}>
      <input
        type="number"
        aria-label={`${lever.name}${lever.unit ? `, ${lever.unit}` : ""}`}
        min={lever.least}
        max={lever.most ?? undefined}
        step={lever.kind === "trigger" ? "any" : 1}
        required
        value={value}
        onInput={(event) => setValue(event.currentTarget.value)}
      />
      {lever.unit && <span class="quiet">{lever.unit}</span>}
      <button type="submit" disabled={gone}>Ask</button>
      {lever.kind === "bound" && <button type="button" disabled={gone} onClick={() => void ask(lever, null)}>No bound</button>}
    </form>
  );
}
