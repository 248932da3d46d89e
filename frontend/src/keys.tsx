// Keys: every page, the time shown and the link without a mouse; the sheet that `?` opens says which.

import { useEffect, useRef } from "preact/hooks";

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

export function KeySheet({ keys, open, close }: { keys: Key[]; open: boolean; close: () => void }) {
  const sheet = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open && !sheet.current?.open) sheet.current?.showModal();
    if (!open) sheet.current?.close();
  }, [open]);
  return (
    <dialog ref={sheet} class="keys" aria-label="Keys" onClose={close}>
      <h2>Keys</h2>
      <dl>
        {keys.map((one) => (
          <div key={one.key}>
            <dt><kbd>{one.key}</kbd></dt>
            <dd>{one.does}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet">Drag across a chart to zoom into it; a double click shows all of it again.</p>
      <button type="button" onClick={close}>Close</button>
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
