// What every page needs to know.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Act, Overview, Run, Session, State } from "./api";
import type { Line } from "./live";

export interface Site {
  run: string; // as it stands in the address: an id, a name or "last"
  runs: Run[];
  session: Session;
  overview: Overview;
  acts: Act[]; // of people, in all the run
  line: Line;
  gone: boolean; // the server does not answer: what is shown is as it was, and nothing can be asked
  unheard: boolean; // it answers, and sends no news
  span_s: number | null;
  setSpan: (span_s: number | null) => void;
  zoom: [number, number] | null; // on the run's clock
  setZoom: (zoom: [number, number] | null) => void;
  again: () => void;
}

export const SiteContext = createContext<Site | null>(null);

export function useSite(): Site {
  const site = useContext(SiteContext);
  if (site === null) throw new Error("a page outside the site");
  return site;
}

/** The colour of what is said of now. Green needs a server that answers, a controller that proved to live, and figures. */
export function tone(site: Site, state: State | null | undefined): "good" | "bad" | "wait" | "gone" | "over" {
  const { life } = site.overview.control;
  if (site.gone || life === "silent" || life === "ahead") return "gone";
  if (life === "ended") return "over";
  if (state === "fine") return life === "live" ? "good" : "wait";
  return state === "starting" || state === "resting" || state == null ? "wait" : "bad";
}

/** Whether what is shown may be past, although nobody said that it ends. */
export function mayBePast(site: Site): boolean {
  const { life } = site.overview.control;
  return site.gone || (life !== "live" && life !== "ended");
}

/** Tenants in the order of their colours: by name, so that a colour stays when troubles come and go. */
export function places(jobs: Overview["jobs"]): Map<string, number> {
  return new Map(Object.keys(jobs).sort().map((name, place) => [name, place]));
}

/** Whether jobs share slots by weight; otherwise their operators have threads of their own. */
export function sharesSlots(overview: Overview): boolean {
  return overview.present?.tenants.some((tenant) => tenant.share.weight !== null) ?? false;
}

/** The times that can be shown, in seconds; null is all. */
export const SPANS: [string, number | null][] = [["15 min", 900], ["1 h", 3600], ["6 h", 21600], ["24 h", 86400], ["all", null]];
