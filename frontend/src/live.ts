// What is known of the run that is looked at: read once, then kept up to date by the server's events.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { address, ApiError, get, type Decision, type News, type Overview, type Series } from "./api";

const MOST_POINTS = 1200; // beyond it the whole is read again, thinned by the server

export interface Watched {
  overview: Overview | null;
  error: string | null;
  connected: boolean;
  again: () => void;
}

export function useWatched(run: string, span_s: number | null, allowed: boolean): Watched {
  const [overview, setOverview] = useState<Overview | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [connected, setConnected] = useState(false);
  const [turn, setTurn] = useState(0);
  const current = useRef<Overview | null>(null);
  const again = useCallback(() => setTurn((before) => before + 1), []);

  useEffect(() => {
    if (!allowed) return;
    let gone = false;
    get<Overview>("overview", { run, span: span_s })
      .then((found) => {
        if (gone) return;
        current.current = found;
        setOverview(found);
        setError(null);
      })
      .catch((problem: unknown) => {
        if (!gone) setError(problem instanceof ApiError ? problem.message : "The server cannot be reached.");
      });
    return () => {
      gone = true;
    };
  }, [run, span_s, allowed, turn]);

  useEffect(() => {
    if (!allowed) return;
    const source = new EventSource(address("live", { run }));
    source.onopen = () => setConnected(true);
    source.onerror = () => setConnected(false);
    source.addEventListener("news", (event) => {
      const before = current.current;
      if (before === null) return;
      const after = told(before, JSON.parse((event as MessageEvent<string>).data) as News, span_s);
      if (after.totals.at_s.length > MOST_POINTS) again();
      current.current = after;
      setOverview(after);
    });
    return () => source.close();
  }, [run, span_s, allowed, again]);

  return { overview, error, connected, again };
}

/** The overview after the news: one more point on every line, newer decisions in their places. */
export function told(before: Overview, news: News, span_s: number | null): Overview {
  const decisions = merged(before.decisions, news.decisions);
  const { control, present } = news;
  const after: Overview = { ...before, control, present: present ?? before.present, decisions };
  after.control = { ...control, may_act: control.live && before.control.may_act };
  after.run = { ...before.run, live: control.live };
  const last = before.totals.at_s.at(-1) ?? -Infinity;
  if (present === null || present.at_s <= last) return after;
  const from_s = span_s === null ? -Infinity : present.at_s - span_s;
  const total = { utility: present.utility, utility_low: present.utility, max_utility: present.max_utility };
  after.totals = longer(before.totals, present.at_s, total, from_s);
  after.jobs = { ...before.jobs };
  for (const tenant of present.tenants) {
    const share = tenant.utility === null ? null : tenant.utility / tenant.max_utility;
    const met = tenant.utility === null ? null : Number(tenant.met);
    const empty: Series = { at_s: [], values: { share: [], met: [], slots: [] } };
    const values = { share, met, slots: tenant.slots };
    after.jobs[tenant.name] = longer(before.jobs[tenant.name] ?? empty, present.at_s, values, from_s);
  }
  after.run = { ...after.run, last_s: present.at_s, cycles: (before.run.cycles ?? 0) + 1 };
  return after;
}

function longer(series: Series, at_s: number, values: Record<string, number | null>, from_s: number): Series {
  const first = Math.max(0, series.at_s.findIndex((at) => at >= from_s));
  const columns = Object.entries(series.values).map(([name, column]) => [
    name,
    [...column.slice(first), values[name] ?? null],
  ]);
  return { at_s: [...series.at_s.slice(first), at_s], values: Object.fromEntries(columns) };
}

function merged(before: Decision[], newer: Decision[]): Decision[] {
  const first = newer[0]?.number ?? Infinity;
  return [...before.filter((decision) => decision.number < first), ...newer];
}

/** An answer of the API, asked for again whenever `mark` changes. */
export function useAnswer<T>(path: string, query: Record<string, string | number | null>, mark: unknown): [T | null, string | null] {
  const [found, setFound] = useState<T | null>(null);
  const [error, setError] = useState<string | null>(null);
  const asked = address(path, query);
  useEffect(() => {
    let gone = false;
    get<T>(path, query)
      .then((answer) => {
        if (gone) return;
        setFound(answer);
        setError(null);
      })
      .catch((problem: unknown) => {
        if (!gone) setError(problem instanceof ApiError ? problem.message : "The server cannot be reached.");
      });
    return () => {
      gone = true;
    };
  }, [asked, mark]);
  return [found, error];
}
