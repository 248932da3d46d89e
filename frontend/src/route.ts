// Pages by hash, so that any server of files can serve them: #/tenant?run=last&job=fraud

import { useEffect, useState } from "preact/hooks";
import type { Overview } from "./api";

export interface Route {
  page: string;
  query: Record<string, string>;
  turn: number; // that somebody went to another address; what pages put into theirs does not count
}

function read(): Omit<Route, "turn"> {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { page: path || "overview", query: Object.fromEntries(new URLSearchParams(query)) };
}

const CARRIED = ["span", "from", "to"]; // from page to page: the time that is looked at

export const INCIDENT = "incident"; // of what is looked at: no page of its own in the navigation

export function link(page: string, query: Record<string, string | undefined> = {}): string {
  const now = read().query;
  const carried = Object.fromEntries(CARRIED.map((name) => [name, now[name]]));
  const given = Object.entries({ ...query, ...carried, ...only(query, CARRIED) }).filter((pair): pair is [string, string] => Boolean(pair[1]));
  const text = new URLSearchParams(given).toString();
  return `#/${page}${text ? `?${text}` : ""}`;
}

/** The report on a tenant, or on who is in most trouble, in the time that is shown: a zoom is carried along. */
export function incidentLink(overview: Overview | null, shown: { job?: string | undefined; zoom: [number, number] | null; span_s: number | null }): string {
  const last = overview?.run.last_s ?? null;
  const between = shown.zoom === null && shown.span_s !== null && last !== null ? { from: Math.max(0, last - shown.span_s).toFixed(1), to: last.toFixed(1) } : {};
  return link(INCIDENT, { run: overview?.run.id, job: shown.job ?? overview?.present?.tenants[0]?.name, ...between });
}

function only(query: Record<string, string | undefined>, names: string[]): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(query).filter(([name]) => names.includes(name)));
}

/** The part of a run that an address zooms into, on its clock. */
export function zoomOf(query: Record<string, string>): [number, number] | null {
  const [from, to] = [Number(query.from ?? NaN), Number(query.to ?? NaN)];
  return Number.isFinite(from) && Number.isFinite(to) && from < to ? [from, to] : null;
}

/** Puts what is looked at into the address, in place of what stood there: no step back, and the page stays where it is. */
export function put(query: Record<string, string | undefined>): void {
  const now = read();
  history.replaceState(null, "", link(now.page, { ...now.query, ...query }));
  dispatchEvent(new Event("penstock-address"));
}

export function useRoute(): Route {
  const [route, setRoute] = useState<Route>(() => ({ ...read(), turn: 0 }));
  useEffect(() => {
    const changed = (): void => {
      setRoute(({ turn }) => ({ ...read(), turn: turn + 1 }));
      document.getElementById("main")?.focus({ preventScroll: true });
      scrollTo(0, 0);
    };
    const put = (): void => setRoute(({ turn }) => ({ ...read(), turn }));
    addEventListener("hashchange", changed);
    addEventListener("penstock-address", put);
    return () => {
      removeEventListener("hashchange", changed);
      removeEventListener("penstock-address", put);
    };
  }, []);
  return route;
}
