// The site: who looks, at which run, and the page that is asked for.

import type { ComponentType } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { ApiError, get, send, type Run, type Session } from "./api";
import { Controls, Proposals } from "./controls";
import { sentence } from "./format";
import { useWatched, type Unread } from "./live";
import { Problem } from "./parts";
import { ComparePage } from "./pages/compare";
import { ClusterPage } from "./pages/cluster";
import { DecisionsPage } from "./pages/decisions";
import { IncidentPage } from "./pages/incident";
import { OverviewPage } from "./pages/overview";
import { TenantPage } from "./pages/tenant";
import { WhatIfPage } from "./pages/whatif";
import { KeySheet, lasting, useKeys, type Key } from "./keys";
import { INCIDENT, incidentLink, link, put, useRoute, zoomOf } from "./route";
import { SiteContext, SPANS, type Site } from "./site";
import { toggle, useTheme } from "./theme";

const COPIED_MS = 2000;
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
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    get<Session>("session").then(setSession, () => setError("The server cannot be reached."));
  }, []);
  if (error !== null) return <main class="alone"><Problem text={error} /></main>;
  if (session === null) return <main class="alone" aria-busy="true" />;
  if (session.role === "none") return <TokenForm done={setSession} />;
  return <Inside session={session} leave={setSession} />;
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
  const [help, setHelp] = useState(false);
  const [copied, setCopied] = useState(false);
  const watched = useWatched(run, span_s);
  const { overview } = watched;
  const gone = overview !== null && (watched.line === "gone" || watched.unread !== null);
  const known = PAGES.some(([page]) => page === route.page) || route.page === INCIDENT || route.page === STORIES;
  const shown = overview?.run.id;
  useEffect(() => {
    if (shown !== undefined) get<Run[]>("runs").then(setRuns, () => setRuns([]));
  }, [run, shown]);
  useEffect(() => {
    document.title = `${gone ? "gone – " : ""}${titled(overview?.run.name, route.page)}`;
  }, [overview?.run.name, route.page, gone]);
  const site: Site | null = overview && { run, runs, session, overview, line: watched.line, gone, span_s, setSpan, zoom, setZoom, again: watched.again };
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
    { key: "/", does: "Find a tenant", act: () => document.getElementById("find")?.focus() },
    { key: "[", does: "Less time", act: () => setSpan(stepped(span_s, -1)) },
    { key: "]", does: "More time", act: () => setSpan(stepped(span_s, 1)) },
    { key: "0", does: "Zoom out", act: () => setZoom(null) },
    { key: "c", does: "Copy the link", act: copy },
    { key: "i", does: "Incident report of what is shown, to print", act: () => { location.hash = incidentLink(overview, { job: route.query.job, zoom, span_s }); } },
    { key: "t", does: "Light or dark", act: toggle },
    { key: "?", does: "These keys", act: () => setHelp(true) },
  ];
  useKeys(keys);
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
          <button type="button" class="plain" onClick={() => setHelp(true)} aria-label="Keys" title="Keys ( ? )"><span aria-hidden="true">?</span></button>
          <ThemeButton />
          {session.tokens_required && (
            <button type="button" class="plain" onClick={() => void send<Session>("session", {}, {}, "DELETE").then(leave)}>
              Leave
            </button>
          )}
        </span>
      </header>
      <KeySheet keys={keys} open={help} close={() => setHelp(false)} />
      {site && <Controls route={route} />}
      <main id="main" tabIndex={-1} class={gone ? "was" : site ? undefined : "bare"}>
        {gone && <Gone since={watched.gone_since} unread={watched.unread} />}
        {route.page === STORIES ? (
          <Lazy load={() => import("./stories")} />
        ) : !known ? (
          <Unknown text={`There is no page “${route.page}”.`} />
        ) : site ? (
          <>
            <Proposals />
            <Page page={route.page} query={route.query} />
          </>
        ) : (
          <Unread error={watched.error} waits={watched.waits} />
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

/** The server is not there, or cannot read what is recorded: whatever stands below is as it was. */
function Gone({ since, unread }: { since: number | null; unread: Unread | null }) {
  const from = since ?? unread?.since ?? null;
  const words = since === null && unread !== null ? "The server cannot read what is recorded" : "The server has not answered";
  return (
    <p class="problem gone" role="alert" data-testid="gone">
      <b>{words}{from === null ? "" : ` since ${new Date(from).toLocaleTimeString("en-GB")}`}.</b>{since === null && unread !== null && ` ${sentence(unread.message)}`} What is shown is as it was then, and nothing can be
      asked for. Whether governing goes on cannot be told from here; the page tries again every second.
    </p>
  );
}

/** Something that was asked for by its name and is not there: its error, and no figures of anything else. */
function Unknown({ text }: { text: string }) {
  return (
    <section class="headline bad" role="alert" aria-label="Not there">
      <h1>{text}</h1>
      <p class="lead"><a href={link("overview")}>Look at the newest run</a> instead.</p>
    </section>
  );
}

function Unread({ error, waits }: { error: string | null; waits: boolean }) {
  if (error === null) return <p class="quiet" aria-busy="true">Reading…</p>;
  if (!waits) return <Unknown text={error} />;
  return (
    <section class="headline wait" aria-label="Now" aria-busy="true">
      <h1 data-testid="headline">{error}</h1>
      <p class="lead">The page tries again every second.</p>
    </section>
  );
}

/** A page that few ask for: its code comes when they do. */
function Lazy({ load }: { load: () => Promise<{ default: ComponentType }> }) {
  const [Found, setFound] = useState<ComponentType | null>(null);
  useEffect(() => {
    void load().then((found) => setFound(() => found.default));
  }, []);
  return Found === null ? <p class="quiet" aria-busy="true">Reading…</p> : <Found />;
}

function Page({ page, query }: { page: string; query: Record<string, string> }) {
  const { job } = query;
  if (page === "compare") return <ComparePage a={query.a} b={query.b} c={query.c} />;
  if (page === "incident") return <IncidentPage job={job} />;
  if (page === "tenant") return <TenantPage job={job} />;
  if (page === "cluster") return <ClusterPage />;
  if (page === "what-if") return <WhatIfPage job={job} />;
  if (page === "decisions") return <DecisionsPage job={job} />;
  return <OverviewPage />;
}

function titled(run: string | undefined, page: string): string {
  const name = page === INCIDENT ? "Incident" : (PAGES.find(([key]) => key === page)?.[1] ?? "Overview");
  return run ? `${name} – ${run} – penstock` : "penstock";
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
