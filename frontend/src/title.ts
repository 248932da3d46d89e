// What a browser's tab says: how the tenants stand comes first, so that one of twenty tabs shows that there is trouble.

import { useEffect } from "preact/hooks";
import type { Control, Overview, State } from "./api";
import type { Watched } from "./live";

const SIGNS: [State, string][] = [["missing", "▼"], ["blind", "?"], ["stale", "…"], ["starting", "◐"], ["fine", "✓"], ["resting", "☾"]]; // the worst first
const LIVES: Record<Exclude<Control["life"], "live">, string> = { awaited: "… awaited", ended: "ended", silent: "✕ silent", ahead: "? clock ahead" };

export const NOT_THERE = "✕ gone";
export const LOCKED = "locked";

/** How all that the tab is about stands, in a few words; only what is proven is said to be fine. */
export function standingOf(watched: Watched): string {
  const { overview } = watched;
  if (watched.line === "gone") return NOT_THERE;
  if (watched.unread !== null) return watched.unread.unheard ? "✕ no news" : "✕ not read";
  if (overview === null) return watched.error === null ? "" : watched.empty ? "no run" : watched.waits ? "✕ not read" : "not found";
  if (overview.control.life !== "live") return LIVES[overview.control.life];
  return overview.present === null ? "starting" : counted(overview.present.tenants);
}

function counted(tenants: NonNullable<Overview["present"]>["tenants"]): string {
  const found = SIGNS.map(([state, sign]) => ({ state, sign, count: tenants.filter((tenant) => tenant.state === state).length })).filter(({ count }) => count > 0);
  return found.length === 0 ? "no tenant" : `${found[0]!.sign} ${found.map(({ state, count }) => `${count} ${state}`).join(", ")}`;
}

/** The tab's title for as long as the part that asks for it is shown. */
export function useTitle(...parts: (string | undefined)[]): void {
  const title = [...parts.filter(Boolean), "penstock"].join(" – ");
  useEffect(() => { document.title = title; }, [title]);
}
