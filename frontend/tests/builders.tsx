// The ordinary, so that a test states only what matters.

import type { ComponentChildren } from "preact";
import type { Decision, Incident, Job, Overview, Remedies, Run, Tenant } from "../src/api";
import { SiteContext, type Site } from "../src/site";

export const run: Run = { id: "demo-1", name: "demo", policy: "penstock", engine: "spark", master: "local", started_at: null, live: true, cycles: 4, first_s: 0, last_s: 40 };

export function aTenant(more: Partial<Tenant> = {}): Tenant {
  return {
    name: "ads", state: "missing", intent: "p95 latency <= 2s", utility: 20, max_utility: 35, met: false, slots: 2, max_slots: null,
    targets: [{ kind: "latency", text: "p95 latency <= 2s", target: 2, percentile: 95, now: 3, met: false, utility: 35 }],
    share: { text: "weight 2 of 8", weight: 2, weights: 8, slots: 2, of_slots: 8, busy: 1, busy_text: null, used_slots: 2, cores: 1 },
    latency_s: 3, latency_estimated: false, juice: 1, arrival_rps: 100, processed_rps: 90, backlog_rows: 12, why: "p95 latency 3 s instead of 2 s.",
    missed_since_s: 10, last_decision: null, not_done: "Nothing yet.", recovery_s: null, recovery_target_s: null, certainty: null, levers: [],
    prediction_error: null, binds: [], beside: null, cost_hour: null, budget: null, trouble: null, ...more,
  };
}

export function aDecision(more: Partial<Decision> = {}): Decision {
  return {
    number: 1, at_s: 20, reason: "Reconfigured", jobs: ["ads"], changes: [], text: "ads: weight 2 -> 5", why: "ads misses its latency", foretold: "",
    utility_before: 55, expected_utility: 65, came: "better", verdict: "better: utility 55 -> 64", utility_came: 64, judged_at_s: 80, errors: [], again: false, ...more,
  };
}

export function found(more: Partial<Remedies> = {}): Remedies {
  const cheapest: Remedies["cheapest"] = {
    kind: "slots", what: "12 slots instead of 8", price: "4 more slots", met: 0.97, share: 0.8, enough: true, dear: false, turns: [], slots: 12, max_slots: {},
    ask: { kind: "executors", job: null, operator: "*", value: 3 },
  };
  return { job: "ads", at_s: 40, span_s: 120, met: 0.2, share: 0.6, cheapest, tried: [], keeps: [3.4], by_itself: false, off: 0.03, whole: true, text: "12 slots instead of 8 (4 more slots) would do.", took_s: 1, ...more };
}

export function anOverview(more: Partial<Overview> = {}): Overview {
  const control = { live: true, may_act: true, paused_by: null, dry_run: false, interval_s: 5, seen_at_epoch_s: null, approval: [], waiting: [], proposals: [], life: "live" as const, said: "" };
  const totals = { at_s: [0, 40], values: { utility: [20, 20], max_utility: [35, 35], possible_utility: [35, 35] } };
  return { run, control, present: null, totals, jobs: {}, decisions: [], ...more };
}

export function aPresent(more: Partial<NonNullable<Overview["present"]>> = {}): NonNullable<Overview["present"]> {
  return {
    at_s: 40, cycle: 4, utility: 20, known_utility: 20, max_utility: 35, possible_utility: 35, met: 0, judged: 1, starting: 0, resting: 0, slots: 8, given: "8 slots, weights of 11 in all", note: "",
    headline: "1 of 2 tenants misses what was asked: ads.", state: "missing", tenants: [aTenant()], machines: [], levers: [], shortfall: "", price: null, ...more,
  };
}

export function aJob(more: Partial<Job> = {}): Job {
  return {
    run, tenant: null, series: { at_s: [], values: {} }, operators: [], edges: [], stages: [], phases_s: {}, state_bytes: null, forecast: null,
    recovery_s: null, recovery_target_s: null, decisions: [], asked: [], recoveries: [], ...more,
  };
}

export function anIncident(more: Partial<Incident> = {}): Incident {
  return {
    run: "demo-1", name: "demo", policy: "penstock", tenant: "ads", intent: "p95 latency <= 2s", from_s: 10, to_s: 70, missed_s: 30, unseen_s: 0,
    worst_latency_s: 9, worst_latency_at_s: 20, most_rows: 62614, utility_lost: 0.5, slot_h: 0.4, missed_slot_h: 0.2,
    chapters: [{ name: "What happened", sentences: ["ads asked for p95 latency <= 2s and missed it for 30 s."] }], events: [{ at_s: 20, text: "decision 1: ads: weight 2 -> 5" }], ...more,
  };
}

/** A page's part inside the site that it belongs to. */
export function inside(children: ComponentChildren, more: Partial<Site> = {}): ComponentChildren {
  const site: Site = {
    run: "last", runs: [run], session: { role: "operate", tokens_required: false, version: "0" }, overview: anOverview(), acts: [], line: "live", gone: false, unheard: false,
    span_s: null, setSpan: () => undefined, zoom: null, setZoom: () => undefined, again: () => undefined, ...more,
  };
  return <SiteContext.Provider value={site}>{children}</SiteContext.Provider>;
}

/** The server, by the beginnings of the paths that it is asked for; what was sent is kept. */
export function serving(answers: Record<string, unknown>): { fetch: typeof fetch; sent: { path: string; body: unknown }[] } {
  const sent: { path: string; body: unknown }[] = [];
  const answer = (path: RequestInfo | URL, how?: RequestInit): Promise<Response> => {
    const known = Object.keys(answers).find((one) => String(path).startsWith(one));
    sent.push({ path: String(path), body: how?.body ? JSON.parse(String(how.body)) : null });
    return Promise.resolve(new Response(JSON.stringify(known ? answers[known] : { message: "there is no such thing" }), { status: known ? 200 : 404 }));
  };
  return { fetch: answer as typeof fetch, sent };
}
