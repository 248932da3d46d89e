// The site: who looks, at which run, and the page that is asked for.

import type { ComponentType } from "preact";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { ApiError, get, send, type Run, type Session } from "./api";
import { Controls, Proposals } from "./controls";
import { useActs, useWatched, type Watched } from "./live";
import { Problem } from "./parts";
import { DecisionsPage } from "./pages/decisions";
import { OverviewPage } from "./pages/overview";
import { TenantPage } from "./pages/tenant";
import { KeySheet, lasting, MeaningSheet, useKeys, type Key } from "./keys";
import { INCIDENT, incidentLink, link, put, useRoute, zoomOf } from "./route";
import { mayBePast, SiteContext, SPANS, type Site } from "./site";
import { Empty, Gone, NotYet, Unknown, Unreached } from "./standing";
import { toggle, useTheme } from "./theme";
import { LOCKED, NOT_THERE, standingOf, useTitle } from "./title";

const COPIED_MS = 2000;
const AGAIN_MS = 1000;
const FOUND_MS = 100; // until a page is there
const STORIES = "stories"; // for who changes the chart
const PAGES: [string, string][] = [
  ["overview", "Overview"],
  ["tenant", "Tenants"],
  ["cluster", "Cluster"],
  ["what-if", "What if"],
  ["decisions", "Decisions"],
  ["compare", "Compare"],
];

export function App() {
  const [session, setSession] = useState<Session | null>(null);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let timer = 0;
    get<Session>("session").then(setSession, () => { timer = window.setTimeout(() => setTries(tries + 1), AGAIN_MS); });
    return () => clearTimeout(timer);
  }, [tries]);
  if (session === null && tries > 0) return <NotThere />;
  if (session === null) return <main class="alone" aria-busy="true" />;
  if (session.role === "none") return <TokenForm done={setSession} />;
  return <Inside session={session} leave={setSession} />;
}

function NotThere() {
  useTitle(NOT_THERE);
  return <main class="bare"><Unreached /></main>;
}

function Inside({ session, leave }: { session: Session; leave: (session: Session) => void }) {
  const route = useRoute();
  const run = route.query.run ?? "last";
  const [runs, setRuns] = useState<Run[]>([]);
  const span_s = Number(route.query.span) > 0 ? Number(route.query.span) : null;
  const setSpan = (value: number | null): void => put({ span: value === null ? undefined : String(value), from: undefined, to: undefined });
  const from = route.query.from, to = route.query.to;
  const zoom = useMemo(() => zoomOf(route.query), [from, to]);
  const setZoom = (value: [number, number] | null): void => put({ from: value?.[0].toFixed(1), to: value?.[1].toFixed(1) });
  const [sheet, setSheet] = useState<"keys" | "figures" | null>(null);
  const [copied, setCopied] = useState(false);
  const locked = useCallback(() => leave({ ...session, role: "none" }), [leave, session]);
  const watched = useWatched(run, span_s, locked);
  const { overview } = watched;
  const acts = useActs(overview);
  const gone = overview !== null && (watched.line === "gone" || watched.unread !== null);
  const known = PAGES.some(([page]) => page === route.page) || route.page === INCIDENT || route.page === STORIES;
  const shown = overview?.run.id;
  useEffect(() => {
    if (shown !== undefined) get<Run[]>("runs").then(setRuns, () => setRuns([]));
  }, [run, shown]);
  useTitle(standingOf(watched), overview ? nameOf(route.page) : undefined, overview?.run.name);
  const site: Site | null = overview && { run, runs, session, overview, acts, line: watched.line, gone, unheard: watched.unread?.unheard === true, span_s, setSpan, zoom, setZoom, again: watched.again };
  const copy = (): void => {
    const text = lasting(location.href, overview?.run.id ?? run);
    const told = (): void => {
      setCopied(true);
      setTimeout(() => setCopied(false), COPIED_MS);
    };
    // Without TLS, and beyond this machine, a page may not write there: then the address itself says it.
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(told, () => history.replaceState(null, "", text));
    else history.replaceState(null, "", text);
  };
  const keys: Key[] = [
    ...PAGES.map(([page, name], place) => ({ key: String(place + 1), does: name, act: () => { location.hash = link(page, { run: route.query.run }); } })),
    { key: "/", does: "Find a tenant", act: () => find(route.query.run) },
    { key: "[", does: "Less time", act: () => setSpan(stepped(span_s, -1)) },
    { key: "]", does: "More time", act: () => setSpan(stepped(span_s, 1)) },
    { key: "0", does: "Zoom out", act: () => setZoom(null) },
    { key: "c", does: "Copy the link", act: copy },
    { key: "i", does: "Incident report of what is shown, to print", act: () => { location.hash = incidentLink(overview, { job: route.query.job, zoom, span_s }); } },
    { key: "t", does: "Light or dark", act: toggle },
    { key: "f", does: "What the figures mean", act: () => setSheet("figures") },
    { key: "?", does: "These keys", act: () => setSheet(sheet === "keys" ? null : "keys") },
  ];
  useKeys(keys.map((key) => ({ ...key, act: () => { setSheet(null); key.act(); } }))); // who read the sheet, and pressed one, has read it
  return (
    <SiteContext.Provider value={site}>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>
        Skip to the page
      </a>
      <header class="top">
        <a class="brand" href={link("overview", { run: route.query.run })}>
          <img src="./icon.svg" alt="" width="26" height="26" /> penstock
        </a>
        <nav aria-label="Pages">
          {PAGES.map(([page, name]) => (
            <a key={page} href={link(page, { run: route.query.run })} aria-current={page === route.page ? "page" : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <span class="end">
          <button type="button" class="plain copy" onClick={copy}>{copied ? "Copied" : "Copy link"}</button>
          <button type="button" class="plain" onClick={() => setSheet("keys")} aria-label="Keys" title="Keys ( ? )"><span aria-hidden="true">?</span></button>
          <ThemeButton />
          {session.tokens_required && (
            <button type="button" class="plain" onClick={() => void send<Session>("session", {}, {}, "DELETE").then(leave)}>
              Leave
            </button>
          )}
        </span>
      </header>
      <KeySheet keys={keys} open={sheet === "keys"} close={() => setSheet(null)} figures={() => setSheet("figures")} />
      <MeaningSheet open={sheet === "figures"} close={() => setSheet(null)} />
      {site && <Controls route={route} />}
      <main id="main" tabIndex={-1} class={site === null ? "bare" : mayBePast(site) ? "was" : undefined}>
        {gone && <Gone since={watched.gone_since} unread={watched.unread} />}
        {route.page === STORIES ? (
          <Stories />
        ) : !known ? (
          <Unknown text={`There is no page “${route.page}”.`} />
        ) : site ? (
          <>
            <Proposals />
            <Page page={route.page} query={route.query} turn={route.turn} />
          </>
        ) : (
          <Unread watched={watched} />
        )}
      </main>
    </SiteContext.Provider>
  );
}

/** The next shorter or longer of the times to show. */
function stepped(span_s: number | null, by: 1 | -1): number | null {
  const values = SPANS.map(([, value]) => value);
  const place = values.indexOf(span_s);
  return values[Math.min(values.length - 1, Math.max(0, (place < 0 ? values.length - 1 : place) + by))] ?? null;
}

/** The field that finds tenants; from a page without one it is that of the overview. */
function find(run: string | undefined): void {
  const field = document.getElementById("find");
  if (field !== null) return field.focus();
  location.hash = link("overview", { run });
  setTimeout(() => document.getElementById("find")?.focus(), FOUND_MS);
}

function Unread({ watched }: { watched: Watched }) {
  if (watched.error === null) return <p class="quiet" aria-busy="true">Reading…</p>;
  if (watched.empty) return <Empty />;
  return watched.waits ? <NotYet error={watched.error} remedy={watched.remedy} /> : <Unknown text={watched.error} />;
}

/** A page that is not the first: its code comes when somebody asks for it, and is asked for again where it does not. */
function fetched<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let Found: ComponentType<P> | null = null;
  return function Fetched(props: P) {
    const [tries, setTries] = useState(0);
    useEffect(() => {
      let timer = 0;
      if (Found !== null) return;
      load().then(
        (page) => { Found = page; setTries(tries + 1); },
        () => { timer = window.setTimeout(() => setTries(tries + 1), AGAIN_MS); },
      );
      return () => clearTimeout(timer);
    }, [tries]);
    return Found === null ? <p class="quiet" aria-busy="true">Reading…</p> : <Found {...props} />;
  };
}

const Stories = fetched(() => import("./stories").then((found) => found.default));
const ComparePage = fetched(() => import("./pages/compare").then((found) => found.ComparePage));
const IncidentPage = fetched(() => import("./pages/incident").then((found) => found.IncidentPage));
const ClusterPage = fetched(() => import("./pages/cluster").then((found) => found.ClusterPage));
const WhatIfPage = fetched(() => import("./pages/whatif").then((found) => found.WhatIfPage));

function Page({ page, query, turn }: { page: string; query: Record<string, string>; turn: number }) {
  const { job } = query;
  if (page === "compare") return <ComparePage a={query.a} b={query.b} c={query.c} />;
  if (page === "incident") return <IncidentPage job={job} />;
  if (page === "tenant") return <TenantPage job={job} />;
  if (page === "cluster") return <ClusterPage />;
  if (page === "what-if") return <WhatIfPage key={turn} job={job} />; // another address, another question
  if (page === "decisions") return <DecisionsPage />;
  return <OverviewPage />;
}

function nameOf(page: string): string {
  return page === INCIDENT ? "Incident" : (PAGES.find(([key]) => key === page)?.[1] ?? "Overview");
}

function ThemeButton() {
  const theme = useTheme();
  const other = theme === "dark" ? "light" : "dark";
  return (
    <button type="button" class="plain" onClick={toggle} aria-label={`Use ${other} colours`} title={`Use ${other} colours`}>
      <span aria-hidden="true">{theme === "dark" ? "☀" : "☾"}</span>
    </button>
  );
}

function TokenForm({ done }: { done: (session: Session) => void }) {
  const [token, setToken] = useState("");
  const [error, setError] = useState<string | null>(null);
  useTitle(LOCKED);
  const submit = (event: Event): void => {
    event.preventDefault();
    send<Session>("session", { token: token.trim() }).then(done, (problem: unknown) =>
      setError(problem instanceof ApiError ? problem.message : "The server cannot be reached."),
    );
  };
  return (
    <main class="alone">
      <form class="panel" onSubmit={submit}>
        <h1>penstock</h1>
        <p>Give a token: it was shown when this server first started.</p>
        <p class="quiet">If nobody has it any more: <code>penstock serve --new-tokens</code>, on the server’s machine, makes new ones.</p>
        <label>
          Token
          <input type="password" value={token} onInput={(event) => setToken(event.currentTarget.value)} autoComplete="off" required />
        </label>
        {error && <Problem text={error} />}
        <button type="submit">Come in</button>
      </form>
    </main>
  );
}
