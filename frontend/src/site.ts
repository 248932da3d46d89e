// What every page needs to know.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Overview, Run, Session } from "./api";

export interface Site {
  run: string; // as it stands in the address: an id, a name or "last"
  runs: Run[];
  session: Session;
  overview: Overview;
  connected: boolean;
  span_s: number | null;
  setSpan: (span_s: number | null) => void;
  again: () => void;
}

export const SiteContext = createContext<Site | null>(null);

export function useSite(): Site {
  const site = useContext(SiteContext);
  if (site === null) throw new Error("a page outside the site");
  return site;
}

/** Tenants in the order of their colours: by name, so that a colour stays when troubles come and go. */
export function places(jobs: Overview["jobs"]): Map<string, number> {
  return new Map(Object.keys(jobs).sort().map((name, place) => [name, place]));
}

/** Whether jobs share slots by weight; otherwise their operators have threads of their own. */
export function sharesSlots(overview: Overview): boolean {
  return overview.present?.tenants.some((tenant) => tenant.share.weight !== null) ?? false;
}
