// What is known of the run that is looked at: read once, then kept up to date by the server's events.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { address, ApiError, get, type Act, type Decision, type News, type Overview, type Present, type Series, type Session } from "./api";

const MOST_POINTS = 1200; // beyond it the whole is read again, thinned by the server
const LOOK_MS = 500; // how often the page asks itself whether the server is still there
const SILENT_MS = 5000; // two signs of life missed
const ANSWERS_WITHIN_MS = 1500;
const AGAIN_MS = 1000; // between tries to find a server that is gone, or a run that has not begun
const NOT_YET = 503; // the run has not begun, or its store cannot be read now: it may come

/** `connecting` for a moment, until it is clear whether the server is there. */
export type Line = "live" | "connecting" | "gone";

/** The server is there and cannot read what is recorded: why, and since when by this browser's clock, in ms. */
export interface Unread {
  message: string;
  remedy: string | null;
  since: number;
  unheard?: boolean; // it sends nothing at all, although it answers
}

type Trouble = Pick<Unread, "message" | "remedy">;

export interface Watched {
  overview: Overview | null;
  error: string | null;
  remedy: string | null; // what the server says can be done about the error
  waits: boolean; // the error may pass by itself: it is tried again
  empty: boolean; // there is no run at all
  line: Line;
  gone_since: number | null; // by this browser's clock, in ms
  unread: Unread | null;
  again: () => void;
}

export function useWatched(run: string, span_s: number | null, locked: () => void): Watched {
  const [overview, setOverview] = useState<Overview | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [turn, setTurn] = useState(0);
  const current = useRef<Overview | null>(null);
  const again = useCallback(() => setTurn((before) => before + 1), []);
  const heard = useRef<News[]>([]);
  const soon = useRef(0);
  const show = useCallback((found: Overview | null) => {
    heard.current = []; // of what was shown before
    current.current = found;
    setOverview(found);
  }, []);
  // Read, taken in and drawn in a task each: at a stretch, news of 400 tenants take longer than a frame.
  const hear = (news: News): void => {
    heard.current.push(news);
    clearTimeout(soon.current);
    soon.current = window.setTimeout(takeIn);
  };
  const takeIn = (): void => {
    const before = current.current;
    if (before === null) return;
    const after = heard.current.reduce((overview: Overview, news) => told(overview, news, span_s), before);
    heard.current = [];
    if (after.totals.at_s.length > MOST_POINTS) again();
    current.current = after;
    soon.current = window.setTimeout(() => setOverview(current.current));
  };
  const [line, gone_since, unread] = useLine(run, overview !== null, { hear, again, locked });

  // What is shown of one run must not stand above the error of another.
  useEffect(() => {
    show(null);
    setError(null);
  }, [run, show]);

  useEffect(() => {
    let left = false;
    let timer = 0;
    get<Overview>("overview", { run, span: span_s })
      .then((found) => {
        if (left) return;
        show(found);
        setError(null);
      })
      .catch((problem: Error) => {
        if (left) return;
        setError(problem);
        if (isLocked(problem)) locked();
        if (passes(problem, run)) timer = window.setTimeout(again, AGAIN_MS);
        else show(null);
      });
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [run, span_s, turn, again, show]);

  const waits = error !== null && passes(error, run);
  const remedy = error instanceof ApiError ? error.remedy : null;
  return { overview, error: error && worded(error), remedy, waits, empty: waits && isMissing(error), line, gone_since, unread, again };
}

function worded(error: Error): string {
  return error instanceof ApiError ? error.message : "The server cannot be reached.";
}

/** Where not even the last run is there, there is none: the first may come. */
function passes(error: Error, run: string): boolean {
  return !(error instanceof ApiError) || error.status === NOT_YET || (isMissing(error) && run === "last");
}

function isMissing(error: Error): boolean {
  return error instanceof ApiError && error.status === 404;
}

function isLocked(error: Error): boolean {
  return error instanceof ApiError && error.status === 401;
}

/** Whether the server is there, and its news. It is gone when it refuses, and as well when it only keeps silent. */
function useLine(run: string, wanted: boolean, does: { hear: (news: News) => void; again: () => void; locked: () => void }): [Line, number | null, Unread | null] {
  const [line, setLine] = useState<Line>("connecting");
  const [gone_since, setGone] = useState<number | null>(null);
  const [unread, setUnread] = useState<Unread | null>(null);
  const heard = useRef(does);
  heard.current = does;

  useEffect(() => {
    if (!wanted) return;
    let source: EventSource | null = null;
    let last_ms = Date.now(); // that the line was new, or gave a sign
    let sign_ms = last_ms; // that it gave one
    let asked_ms = 0;
    let missed = false;
    let left = false;
    const lives = (): void => {
      last_ms = sign_ms = Date.now();
      setLine("live");
      setGone(null);
      if (missed) heard.current.again(); // what came while nobody was there
      missed = false;
    };
    const connect = (): void => {
      source?.close();
      source = new EventSource(address("live", { run }));
      source.onopen = lives;
      source.onerror = () => {
        missed = true;
        setLine((before) => (before === "gone" ? before : "connecting"));
        look();
      };
      source.addEventListener("life", () => {
        lives();
        setUnread((before) => (before?.unheard ? null : before)); // of a run that has ended no news come any more
      });
      source.addEventListener("news", (event) => {
        lives();
        setUnread(null);
        heard.current.hear(JSON.parse((event as MessageEvent<string>).data) as News);
      });
      source.addEventListener("trouble", (event) => {
        lives();
        const { message, remedy } = JSON.parse((event as MessageEvent<string>).data) as Trouble;
        setUnread((before) => ({ message, remedy, since: before?.since ?? Date.now() }));
      });
    };
    const look = (): void => {
      const silent = Date.now() - last_ms >= SILENT_MS;
      if ((source?.readyState === EventSource.OPEN && !silent) || Date.now() - asked_ms < AGAIN_MS) return;
      asked_ms = Date.now();
      void answers().then((session) => {
        if (left) return;
        if (session === null) {
          missed = true;
          setLine("gone");
          setGone((since) => since ?? Date.now());
          return;
        }
        if (session.role === "none") return heard.current.locked();
        // Green needs a line that speaks, not only a server that answers: as many may watch already as may.
        if (Date.now() - sign_ms >= SILENT_MS) setUnread((before) => before ?? { message: "", remedy: null, since: sign_ms, unheard: true });
        if (source?.readyState === EventSource.CLOSED || Date.now() - last_ms >= SILENT_MS) {
          last_ms = Date.now();
          connect(); // a stream that ended for good, or hangs, does not come back by itself
        }
      });
    };
    setUnread(null);
    connect();
    const timer = setInterval(look, LOOK_MS);
    return () => {
      left = true;
      clearInterval(timer);
      source?.close();
    };
  }, [run, wanted]);

  return [line, gone_since, unread];
}

/** Who looks, as the server has it; null where it does not answer, or not in its own words. */
async function answers(): Promise<Session | null> {
  try {
    const answer = await fetch(address("session"), { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS), cache: "no-store" });
    return (await answer.json()) as Session;
  } catch {
    return null;
  }
}

/** The overview after the news: one more point on every line, newer decisions in their places. */
export function told(before: Overview, news: News, span_s: number | null): Overview {
  const decisions = merged(before.decisions, news.decisions);
  const { control, present } = news;
  const after: Overview = { ...before, control, present: present === null ? before.present : withLevers(present, before.present), decisions };
  after.control = { ...control, may_act: control.live && before.control.may_act };
  after.run = { ...before.run, live: control.live };
  const last = before.totals.at_s.at(-1) ?? -Infinity;
  if (present === null || present.at_s <= last) return after;
  const from_s = span_s === null ? -Infinity : present.at_s - span_s;
  const total = {
    utility: present.utility,
    utility_low: present.utility,
    max_utility: present.max_utility,
    possible_utility: present.possible_utility,
  };
  after.totals = longer(before.totals, present.at_s, total, from_s);
  after.jobs = { ...before.jobs };
  for (const tenant of present.tenants) {
    const unseen = tenant.state === "blind" || tenant.state === "stale";
    const share = tenant.utility === null ? null : tenant.utility / tenant.max_utility;
    const met = tenant.utility === null || unseen ? null : Number(tenant.met);
    const empty: Series = { at_s: [], values: { share: [], met: [], slots: [], unseen: [] } };
    const values = { share, met, slots: tenant.slots, unseen: Number(unseen) };
    after.jobs[tenant.name] = longer(before.jobs[tenant.name] ?? empty, present.at_s, values, from_s);
  }
  after.run = { ...after.run, last_s: present.at_s, cycles: (before.run.cycles ?? 0) + 1 };
  return after;
}

/** News come without tenants' levers, which are half of their weight and seldom turn: the tenant's page asks for them. */
function withLevers(present: Present, before: Present | null): Present {
  const known = new Map(before?.tenants.map((tenant) => [tenant.name, tenant.levers]));
  return { ...present, tenants: present.tenants.map((tenant) => ({ ...tenant, levers: known.get(tenant.name) ?? tenant.levers })) };
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

/** What people asked of the run's controller; asked for again when it stands otherwise than before. */
export function useActs(overview: Overview | null): Act[] {
  const [found] = useAnswer<Act[]>("acts", overview && { run: overview.run.id }, overview && stands(overview));
  return found ?? NO_ACTS;
}

/** What people ask changes it; what was heard within one look shows in what is asked for, and in nothing else. */
function stands({ control, run, present }: Overview): string {
  const asked = present?.tenants.map((tenant) => tenant.intent) ?? [];
  return [control.waiting.length, control.paused_by, control.dry_run, control.proposals.length, run.id, ...asked].join(" ");
}

const NO_ACTS: Act[] = [];

/** An answer of the API, asked for again whenever `mark` changes; without a query nothing is asked. */
export function useAnswer<T>(path: string, query: Record<string, string | number | null> | null, mark: unknown): [T | null, string | null] {
  const [found, setFound] = useState<T | null>(null);
  const [error, setError] = useState<string | null>(null);
  const asked = query && address(path, query);
  useEffect(() => {
    let gone = false;
    if (query === null) return setFound(null);
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
