// The API's answers, as src/penstock/web/shapes.py has them, and how to ask for them.

export type State = "missing" | "blind" | "stale" | "starting" | "fine"; // as src/penstock/core/states.py has them
export type Came = "better" | "no change" | "worse" | "not judged" | "not done" | "not carried out";
export type Figure = number | null;

export const WHOLE = "(application)"; // in the place of a job's name: all jobs of the application together

export interface Run {
  id: string;
  name: string;
  policy: string;
  engine: string;
  master: string;
  started_at: Figure;
  live: boolean;
  cycles: Figure;
  first_s: Figure;
  last_s: Figure;
}
export interface Target {
  kind: "latency" | "juice" | "recovery";
  text: string;
  target: number;
  percentile: Figure;
  now: Figure;
  met: boolean | null;
  utility: number;
}
export interface Change {
  kind: string;
  job: string;
  operator: string;
  before: number | null;
  after: number | null;
  text: string;
}
export interface Decision {
  number: number;
  at_s: number;
  reason: string;
  jobs: string[];
  changes: Change[];
  text: string;
  why: string;
  foretold: string;
  utility_before: number;
  expected_utility: Figure;
  came: Came;
  verdict: string | null;
  utility_came: Figure;
  judged_at_s: Figure;
  errors: string[];
}
export interface Lever {
  kind: string;
  job: string;
  operator: string;
  name: string;
  unit: string;
  now: Figure;
  asked: Figure;
  least: number;
  most: Figure;
  now_text: string;
  asked_text: string | null;
  limits: string;
  disturbs: string;
  shows: string;
}
export interface Share {
  text: string;
  weight: Figure;
  weights: Figure;
  slots: Figure;
  of_slots: Figure;
  busy: Figure;
  busy_text: string | null;
  used_slots: Figure;
  cores: Figure;
}
export interface Tenant {
  name: string;
  state: State;
  intent: string;
  targets: Target[];
  utility: Figure;
  max_utility: number;
  met: boolean;
  slots: number;
  max_slots: Figure;
  share: Share;
  latency_s: Figure;
  latency_estimated: boolean;
  juice: Figure;
  arrival_rps: Figure;
  processed_rps: Figure;
  backlog_rows: Figure;
  why: string | null;
  missed_since_s: Figure;
  last_decision: Decision | null;
  not_done: string;
  recovery_s: Figure;
  recovery_target_s: Figure;
  certainty: Figure;
  levers: Lever[];
  prediction_error: { share: number; of: number } | null;
  binds: { what: string; helps: string }[];
  beside: string | null;
}
export interface Machine {
  name: string;
  cores: number;
  load: Figure;
  memory_share: Figure;
  executors: Figure;
  alive: boolean;
  congested: boolean;
}
export interface Present {
  at_s: number;
  cycle: number;
  utility: number;
  max_utility: number;
  slots: Figure;
  given: string;
  note: string;
  headline: string;
  state: State | null;
  possible_utility: number;
  tenants: Tenant[];
  machines: Machine[];
  levers: Lever[];
  shortfall: string;
}
export interface Series {
  at_s: number[];
  values: Record<string, Figure[]>;
}
export interface Proposal {
  number: number;
  at_s: number;
  text: string;
  why: string;
  jobs: string[];
}
export interface Control {
  live: boolean;
  may_act: boolean;
  paused_by: string | null;
  dry_run: boolean;
  interval_s: Figure;
  seen_at_epoch_s: Figure;
  approval: string[];
  waiting: string[];
  proposals: Proposal[];
}
export interface Overview {
  run: Run;
  control: Control;
  present: Present | null;
  totals: Series;
  jobs: Record<string, Series>;
  decisions: Decision[];
}
export interface Operator {
  name: string;
  threads: number;
  capacity: Figure;
  rows_in_rps: Figure;
  rows_out_rps: Figure;
  backlog_rows: Figure;
  is_source: boolean;
}
export interface Stage {
  job: string;
  name: string;
  tasks: number;
  rows_in: Figure;
  rows_out: Figure;
  capacity: Figure;
  shuffle_local_bytes: Figure;
  shuffle_remote_bytes: Figure;
}
export interface Forecast {
  method: string;
  at_s: number[];
  mean_rps: number[];
  low_rps: number[];
  high_rps: number[];
  level: Figure;
}
export interface Job {
  run: Run;
  tenant: Tenant | null;
  series: Series;
  operators: Operator[];
  edges: [string, string][];
  stages: Stage[];
  phases_s: Record<string, number>;
  state_bytes: Figure;
  forecast: Forecast | null;
  recovery_s: Figure;
  recovery_target_s: Figure;
  decisions: Decision[];
  asked: AskedFor[];
}
/** What a person asked of the controller, when it was heard. */
export interface Act {
  at_s: number;
  who: string;
  text: string;
  job: string | null;
}
/** What a tenant asked for from then on, until the next. */
export interface AskedFor {
  from_s: number;
  text: string;
  targets: Target[];
}
export interface PartitionKeys {
  partition: number;
  executor: string | null;
  machine: string | null;
  keys: Figure;
  share: Figure;
}
export interface MachineKeys {
  machine: string;
  partitions: number;
  keys: Figure;
  share: Figure;
}
export interface Keys {
  job: string;
  operator: string;
  table: Figure;
  locality: Figure;
  machines: MachineKeys[];
  partitions: PartitionKeys[];
}
export interface Cluster {
  run: Run;
  present: Present | null;
  machines: Record<string, Series>;
  stages: Stage[];
  keys: Keys[];
}
export interface Decisions {
  total: number;
  reasons: string[];
  jobs: string[];
  decisions: Decision[];
}
export interface Audit {
  at_epoch_s: number;
  who: string;
  act: string;
  detail: string;
}
export interface Future {
  policy: string;
  series: Series;
  share: Figure;
  decisions: number;
  whole: boolean;
}
export interface WhatIfJob {
  name: string;
  past_share: Figure;
  past_met: Figure;
  as_is_share: Figure;
  as_is_met: Figure;
  changed_share: Figure;
  changed_met: Figure;
  slots_now: number;
  slots_then: Figure;
  off: Figure;
}
export interface Trial {
  span_s: number;
  series: Series;
  share: Figure;
  real_share: number;
  off: number;
}
export interface WhatIf {
  present_s: number;
  span_s: number;
  past: Series;
  past_share: Figure;
  as_is: Future;
  changed: Future;
  trial: Trial | null;
  jobs: WhatIfJob[];
  slots: Figure;
  took_s: number;
}
export interface CompareSide {
  run: Run;
  length_s: number;
  utility_share: Figure;
  met_share: Figure;
  decisions: number;
  helped: number;
  series: Series;
}
export interface CompareJob {
  name: string;
  asks_a: string | null;
  asks_b: string | null;
  utility_a: Figure;
  utility_b: Figure;
  met_a: Figure;
  met_b: Figure;
}
export interface Compare {
  a: CompareSide;
  b: CompareSide;
  jobs: CompareJob[];
  sentences: string[];
}
export interface Turn {
  kind: string;
  job: string | null;
  operator?: string;
  value: Figure;
}
/** One change that was tried for a tenant in the simulator. */
export interface Remedy {
  kind: "lever" | "limit" | "slots";
  what: string;
  price: string;
  met: number;
  share: Figure;
  enough: boolean;
  dear: boolean;
  turns: Turn[];
  slots: Figure;
  max_slots: Record<string, number>;
  ask: Turn | null;
}
export interface Remedies {
  job: string;
  at_s: number;
  span_s: number;
  met: Figure;
  share: Figure;
  cheapest: Remedy | null;
  tried: Remedy[];
  keeps: number[] | null;
  by_itself: boolean;
  off: Figure;
  whole: boolean;
  text: string;
  took_s: number;
}
/** How it would have gone without one decision. */
export interface Without {
  number: number;
  text: string;
  tells: boolean;
  gain: Figure;
  off: Figure;
}
export interface Worth {
  text: string;
  decisions: number;
  gain: Figure;
  waits: number;
  each: Without[];
}
/** What a what-if is asked: all that an address needs to ask it again. */
export interface Question {
  minutes?: number;
  policy?: string | null;
  slots?: Figure;
  rates?: Record<string, number>;
  intents?: Record<string, IntentPart[]>;
  turns?: Turn[];
  max_slots?: Record<string, number>;
}
export interface Session {
  role: "none" | "read" | "operate";
  tokens_required: boolean;
  version: string;
}
export interface Policy {
  name: string;
  about: string;
}
export interface News {
  control: Control;
  present: Present | null;
  decisions: Decision[];
}
export interface IntentPart {
  latency?: number;
  percentile?: number;
  juice?: number;
  recovery?: number;
  certainty?: number;
  utility?: number;
}

/** What a tenant asks for with other targets or another utility; what bounds plans only stays as it is. */
export function changedIntent(tenant: Tenant, targets: number[], utility: (target: Target) => number): IntentPart[] {
  const bound = tenant.targets.some((target) => target.kind === "recovery") ? null : tenant.recovery_target_s;
  return tenant.targets.map((target, index) => ({
    [target.kind]: targets[index],
    ...(target.percentile === null ? {} : { percentile: target.percentile }),
    ...(index > 0 || bound === null ? {} : { recovery: bound }),
    ...(index > 0 || tenant.certainty === null ? {} : { certainty: tenant.certainty }),
    utility: utility(target),
  }));
}

export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

async function answered<T>(response: Response): Promise<T> {
  if (response.ok) return (await response.json()) as T;
  const told = await response.json().catch(() => ({}));
  throw new ApiError(response.status, (told as { message?: string }).message ?? response.statusText);
}

type Query = Record<string, string | number | null | undefined>;

export function address(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `/api/${path}${text ? `?${text}` : ""}`;
}

const WITHIN_MS = 20_000; // a server that holds its tongue for so long is as good as gone
export const SIMULATED_WITHIN_MS = 90_000; // an answer that is simulated, behind others that wait

export async function get<T>(path: string, query: Query = {}, within_ms = WITHIN_MS): Promise<T> {
  return answered<T>(await fetch(address(path, query), { signal: AbortSignal.timeout(within_ms) }));
}

/** What went wrong, in words. */
export function worded(problem: unknown): string {
  return problem instanceof ApiError ? problem.message : "The server cannot be reached.";
}

export async function send<T>(path: string, body: unknown, query: Query = {}, method = "POST"): Promise<T> {
  const headers = { "content-type": "application/json" };
  return answered<T>(await fetch(address(path, query), { method, headers, body: JSON.stringify(body) }));
}
