// The API's answers, by the types that it describes itself with, and how to ask for them.

import type * as schema from "./schema";

export type Figure = number | null;

export type State = schema.TenantOut["state"];
export type Came = schema.DecisionOut["came"];
export type Run = schema.RunOut;
export type Target = schema.TargetOut;
export type Change = schema.ChangeOut;
export type Decision = schema.DecisionOut;
export type Lever = schema.LeverOut;
export type Share = schema.ShareOut;
export type Tenant = schema.TenantOut;
export type Machine = schema.MachineOut;
export type Present = schema.PresentOut;
export type Price = schema.PriceOut;
export type Series = schema.SeriesOut;
export type Proposal = schema.ProposalOut;
export type Control = schema.ControlOut;
export type Overview = schema.OverviewOut;
export type Operator = schema.OperatorOut;
export type Stage = schema.StageOut;
export type Forecast = schema.ForecastOut;
export type Job = schema.JobOut;
export type Act = schema.ActOut;
export type AskedFor = schema.AskedForOut;
export type PartitionKeys = schema.PartitionKeysOut;
export type MachineKeys = schema.MachineKeysOut;
export type Keys = schema.KeysOut;
export type Cluster = schema.ClusterOut;
export type Decisions = schema.DecisionsOut;
export type Audit = schema.AuditOut;
export type Future = schema.FutureOut;
export type WhatIfJob = schema.WhatIfJobOut;
export type Trial = schema.TrialOut;
export type WhatIf = schema.WhatIfOut;
export type CompareSide = schema.CompareSideOut;
export type CompareJob = schema.CompareJobOut;
export type Compare = schema.CompareOut;
export type Incident = schema.IncidentOut;
export type Turn = schema.TurnOut;
export type Remedy = schema.RemedyOut;
export type Remedies = schema.RemediesOut;
export type Without = schema.WithoutOut;
export type Worth = schema.WorthOut;
export type Session = schema.SessionOut;
export type Policy = schema.PolicyOut;

export const WHOLE = "(application)"; // in the place of a job's name: all jobs of the application together

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
    readonly remedy: string | null = null,
  ) {
    super(message);
  }
}

async function answered<T>(response: Response): Promise<T> {
  if (response.ok) return (await response.json()) as T;
  const told = await response.json().catch(() => ({}));
  const { message, remedy } = told as { message?: string; remedy?: string | null };
  throw new ApiError(response.status, message ?? response.statusText, remedy);
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
