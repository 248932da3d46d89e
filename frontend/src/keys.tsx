// Keys: every page, the time shown and the link without a mouse; the sheet that `?` opens says which.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { MeaningList } from "./terms";

export interface Key {
  key: string;
  does: string;
  act: () => void;
}

/** Listens for keys while nobody types, and none that the browser has for itself. */
export function useKeys(keys: Key[]): void {
  const known = useRef(keys);
  known.current = keys;
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
      const found = known.current.find((one) => one.key === event.key);
      if (found === undefined) return;
      event.preventDefault();
      found.act();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

function typing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName));
}

export function KeySheet({ keys, open, close, figures }: { keys: Key[]; open: boolean; close: () => void; figures: () => void }) {
  return (
    <Sheet name="Keys" open={open} close={close} also={<button type="button" onClick={figures}>What the figures mean</button>}>
      <dl>
        {keys.map((one) => (
          <div key={one.key}>
            <dt><kbd>{one.key}</kbd></dt>
            <dd>{one.does}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet">Drag across a chart to zoom into it; a double click shows all of it again. “from … to” does the same without a mouse.</p>
    </Sheet>
  );
}

export function MeaningSheet({ open, close }: { open: boolean; close: () => void }) {
  return <Sheet name="What the figures mean" open={open} close={close}>{open && <MeaningList />}</Sheet>;
}

function Sheet({ name, open, close, also, children }: { name: string; open: boolean; close: () => void; also?: ComponentChildren; children: ComponentChildren }) {
  const sheet = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open && sheet.current?.open === false) {
      sheet.current.showModal();
      sheet.current.scrollTop = 0; // the focus is on the button at its end
    }
    if (!open) sheet.current?.close();
  }, [open]);
  return (
    <dialog ref={sheet} class="keys" aria-label={name} onClose={() => open && close()}>
      <h2>{name}</h2>
      {children}
      <span class="acts"><button type="button" onClick={close}>Close</button>{also}</span>
    </dialog>
  );
}

/** The address of what is looked at, good tomorrow, too: “last” is said by its name. */
export function lasting(address: string, run: string): string {
  const [place = "", hash = ""] = address.split("#");
  const [page = "", query = ""] = hash.split("?");
  const given = new URLSearchParams(query);
  given.set("run", run);
  return `${place}#${page || "/overview"}?${given.toString()}`;
}
