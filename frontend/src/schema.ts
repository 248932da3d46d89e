// Written by scripts/api_types.py from the API's OpenAPI description: change src/penstock/web/shapes*.py.

export type Act = "pause" | "resume" | "dry-run" | "do" | "intent" | "turn" | "approve" | "refuse" | "start";

export interface ActIn {
  act: Act;
  job?: string | null;
  intents?: IntentPart[];
  proposal?: number | null;
  kind?: "slots" | "tasks" | "executors" | "partitions" | "bound" | "piece" | "trigger" | "memory" | "table" | null;
  operator?: string;
  value?: number | null;
  who?: string;
}

export interface ActOut {
  at_s: number;
  who: string;
  text: string;
  job: string | null;
}

export interface AskedForOut {
  from_s: number;
  text: string;
  targets: TargetOut[];
}

export interface AskedOut {
  number: number;
  control: ControlOut;
}

export interface AuditOut {
  at_epoch_s: number;
  who: string;
  act: string;
  detail: string;
}

export interface BindOut {
  what: string;
  helps: string;
}

export interface BudgetOut {
  text: string;
  keep: number;
  windows_s: number;
  over_s: number;
  allowed: number;
  good: number;
  bad: number;
  unknown: number;
  left: number;
  burns: BurnOut[];
  urgency: number;
}

export interface BurnOut {
  over_s: number;
  rate: number | null;
}

export interface ChangeOut {
  kind: string;
  job: string;
  operator: string;
  before: number | null;
  after: number | null;
  text: string;
}

export interface ClusterOut {
  run: RunOut;
  present: PresentOut | null;
  machines: Record<string, SeriesOut>;
  stages: StageOut[];
  keys: KeysOut[];
}

export interface CompareJobOut {
  name: string;
  asks_a: string | null;
  asks_b: string | null;
  utility_a: number | null;
  utility_b: number | null;
  met_a: number | null;
  met_b: number | null;
}

export interface CompareOut {
  a: CompareSideOut;
  b: CompareSideOut;
  jobs: CompareJobOut[];
  sentences: string[];
}

export interface CompareSideOut {
  run: RunOut;
  length_s: number;
  utility_share: number | null;
  met_share: number | null;
  decisions: number;
  helped: number;
  series: SeriesOut;
}

export interface ControlOut {
  live: boolean;
  may_act: boolean;
  paused_by: string | null;
  dry_run: boolean;
  interval_s: number | null;
  seen_at_epoch_s: number | null;
  approval: string[];
  waiting: string[];
  proposals: ProposalOut[];
  life: "live" | "awaited" | "ended" | "silent" | "ahead";
  said: string;
}

export interface DecisionOut {
  number: number;
  at_s: number;
  reason: string;
  jobs: string[];
  changes: ChangeOut[];
  text: string;
  why: string;
  foretold: string;
  utility_before: number;
  expected_utility: number | null;
  came: "better" | "no change" | "worse" | "not judged yet" | "not judged" | "not done" | "not carried out";
  verdict: string | null;
  utility_came: number | null;
  judged_at_s: number | null;
  errors: string[];
  again: boolean;
}

export interface DecisionsOut {
  total: number;
  reasons: string[];
  jobs: string[];
  decisions: DecisionOut[];
}

export interface ErrorOut {
  message: string;
  field: string | null;
  remedy: string | null;
}

export interface ForecastOut {
  method: string;
  at_s: number[];
  mean_rps: number[];
  low_rps: number[];
  high_rps: number[];
  level: number | null;
}

export interface FutureOut {
  policy: string;
  series: SeriesOut;
  share: number | null;
  decisions: number;
  whole: boolean;
}

export interface HealthOut {
  status: "up" | "ready";
  version: string;
}

export interface HoursPart {
  from?: string | number;
  to?: string | number;
  days?: string | string[];
  zone?: string;
}

export interface IncidentChapterOut {
  name: string;
  sentences: string[];
}

export interface IncidentEventOut {
  at_s: number;
  text: string;
}

export interface IncidentOut {
  run: string;
  name: string;
  policy: string;
  tenant: string;
  intent: string;
  from_s: number;
  to_s: number;
  missed_s: number;
  unseen_s: number;
  worst_latency_s: number | null;
  worst_latency_at_s: number | null;
  most_rows: number | null;
  utility_lost: number | null;
  slot_h: number;
  missed_slot_h: number;
  chapters: IncidentChapterOut[];
  events: IncidentEventOut[];
}

export interface IntentPart {
  latency?: number | string | null;
  percentile?: number | null;
  juice?: number | null;
  recovery?: number | string | null;
  certainty?: number | null;
  utility?: number;
  shape?: string;
  points?: ([number | string, number])[];
  zero_at?: number | string | null;
  spread?: number;
  hours?: HoursPart | null;
}

export interface JobOut {
  run: RunOut;
  tenant: TenantOut | null;
  series: SeriesOut;
  operators: OperatorOut[];
  edges: ([string, string])[];
  stages: StageOut[];
  phases_s: Record<string, number>;
  state_bytes: number | null;
  forecast: ForecastOut | null;
  recovery_s: number | null;
  recovery_target_s: number | null;
  decisions: DecisionOut[];
  asked: AskedForOut[];
  recoveries: RecoveryOut[];
}

export interface JobWithoutOut {
  job: string;
  with_it: number;
  without: number;
}

export interface KeysOut {
  job: string;
  operator: string;
  table: number | null;
  locality: number | null;
  machines: MachineKeysOut[];
  partitions: PartitionKeysOut[];
}

export interface LeverOut {
  kind: string;
  job: string;
  operator: string;
  name: string;
  unit: string;
  now: number | null;
  asked: number | null;
  least: number;
  most: number | null;
  now_text: string;
  asked_text: string | null;
  limits: string;
  disturbs: string;
  shows: string;
}

export interface MachineKeysOut {
  machine: string;
  partitions: number;
  keys: number | null;
  share: number | null;
}

export interface MachineOut {
  name: string;
  cores: number;
  load: number | null;
  memory_share: number | null;
  executors: number | null;
  alive: boolean;
  congested: boolean;
}

export interface OperatorOut {
  name: string;
  threads: number;
  capacity: number | null;
  rows_in_rps: number | null;
  rows_out_rps: number | null;
  backlog_rows: number | null;
  is_source: boolean;
}

export interface OverviewOut {
  run: RunOut;
  control: ControlOut;
  present: PresentOut | null;
  totals: SeriesOut;
  jobs: Record<string, SeriesOut>;
  decisions: DecisionOut[];
}

export interface PartitionKeysOut {
  partition: number;
  executor: string | null;
  machine: string | null;
  keys: number | null;
  share: number | null;
}

export interface PolicyOut {
  name: string;
  about: string;
}

export interface PredictionErrorOut {
  share: number;
  of: number;
}

export interface PresentOut {
  at_s: number;
  cycle: number;
  utility: number;
  max_utility: number;
  slots: number | null;
  given: string;
  note: string;
  headline: string;
  known_utility: number;
  possible_utility: number;
  met: number;
  judged: number;
  starting: number;
  state: "missing" | "blind" | "stale" | "starting" | "fine" | "resting" | null;
  tenants: TenantOut[];
  machines: MachineOut[];
  levers: LeverOut[];
  shortfall: string;
  resting: number;
  price: PriceOut | null;
}

export interface PriceOut {
  slot_hour: number;
  currency: string;
}

export interface ProposalOut {
  number: number;
  at_s: number;
  text: string;
  why: string;
  jobs: string[];
  answer: string;
  who: string | null;
}

export interface RecoveryOut {
  lost: string;
  seconds: number | null;
  low_s: number | null;
  high_s: number | null;
  of: number;
}

export interface RemediesOut {
  job: string;
  at_s: number;
  span_s: number;
  met: number | null;
  share: number | null;
  cheapest: RemedyOut | null;
  tried: RemedyOut[];
  keeps: number[] | null;
  by_itself: boolean;
  off: number | null;
  whole: boolean;
  text: string;
  took_s: number;
}

export interface RemedyOut {
  kind: "lever" | "limit" | "slots";
  what: string;
  price: string;
  met: number;
  share: number | null;
  enough: boolean;
  dear: boolean;
  turns: TurnOut[];
  slots: number | null;
  max_slots: Record<string, number>;
  ask: TurnOut | null;
}

export interface RunOut {
  id: string;
  name: string;
  policy: string;
  engine: string;
  master: string;
  started_at: number | null;
  live: boolean;
  cycles: number;
  first_s: number | null;
  last_s: number | null;
}

export interface SeriesOut {
  at_s: number[];
  values: Record<string, (number | null)[]>;
}

export interface SessionOut {
  role: "none" | "read" | "operate";
  tokens_required: boolean;
  version: string;
}

export interface ShareOut {
  text: string;
  weight: number | null;
  weights: number | null;
  slots: number | null;
  of_slots: number | null;
  busy: number | null;
  busy_text: string | null;
  used_slots: number | null;
  cores: number | null;
}

export interface StageOut {
  job: string;
  name: string;
  tasks: number;
  rows_in: number | null;
  rows_out: number | null;
  capacity: number | null;
  shuffle_local_bytes: number | null;
  shuffle_remote_bytes: number | null;
}

export interface TargetOut {
  kind: "latency" | "juice" | "recovery";
  text: string;
  target: number;
  percentile: number | null;
  now: number | null;
  met: boolean | null;
  utility: number;
}

export interface TenantOut {
  name: string;
  state: "missing" | "blind" | "stale" | "starting" | "fine" | "resting";
  intent: string;
  targets: TargetOut[];
  utility: number | null;
  max_utility: number;
  met: boolean;
  slots: number;
  max_slots: number | null;
  share: ShareOut;
  latency_s: number | null;
  latency_estimated: boolean;
  juice: number | null;
  arrival_rps: number | null;
  processed_rps: number | null;
  backlog_rows: number | null;
  why: string | null;
  missed_since_s: number | null;
  last_decision: DecisionOut | null;
  not_done: string;
  recovery_s: number | null;
  recovery_target_s: number | null;
  certainty: number | null;
  levers: LeverOut[];
  prediction_error: PredictionErrorOut | null;
  binds: BindOut[];
  beside: string | null;
  cost_hour: number | null;
  budget: BudgetOut | null;
  trouble: "not running" | "given up" | "stopped" | "ended" | "absent" | "slow start" | "outside its pool" | "no rows" | "untold" | "restarting" | "other" | null;
}

export interface TokenIn {
  token: string;
}

export interface TrialOut {
  span_s: number;
  series: SeriesOut;
  share: number | null;
  real_share: number;
  off: number;
}

export interface TurnIn {
  kind: "slots" | "tasks" | "executors" | "partitions" | "bound" | "piece" | "trigger" | "memory" | "table";
  job?: string | null;
  operator?: string;
  value: number | null;
}

export interface TurnOut {
  kind: string;
  job: string | null;
  operator: string;
  value: number | null;
}

export interface WhatIfIn {
  minutes?: number;
  policy?: string | null;
  slots?: number | null;
  intents?: Record<string, IntentPart[]>;
  rates?: Record<string, number>;
  turns?: TurnIn[];
  max_slots?: Record<string, number>;
}

export interface WhatIfJobOut {
  name: string;
  past_share: number | null;
  past_met: number | null;
  as_is_share: number | null;
  as_is_met: number | null;
  changed_share: number | null;
  changed_met: number | null;
  slots_now: number;
  slots_then: number | null;
  off: number | null;
}

export interface WhatIfOut {
  present_s: number;
  span_s: number;
  past: SeriesOut;
  past_share: number | null;
  as_is: FutureOut;
  changed: FutureOut;
  trial: TrialOut | null;
  jobs: WhatIfJobOut[];
  slots: number | null;
  took_s: number;
}

export interface WithoutOut {
  number: number;
  text: string;
  tells: boolean;
  span_s: number | null;
  really: number | null;
  with_it: number | null;
  without: number | null;
  gain: number | null;
  off: number | null;
  slot_s_saved: number | null;
  jobs: JobWithoutOut[];
  why: string | null;
}

export interface WorthOut {
  text: string;
  decisions: number;
  span_s: number;
  gain: number | null;
  off: number | null;
  slot_h_saved: number;
  untold: number;
  misled: number;
  waits: number;
  each: WithoutOut[];
}
