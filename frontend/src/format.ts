// Figures in the words of a reader. What is absent is a dash, never a zero.

import type { Figure, Run } from "./api";

export const ABSENT = "–";

export function number(value: Figure | undefined): string {
  if (value === null || value === undefined) return ABSENT;
  const size = Math.abs(value);
  if (size >= 1000 || Number.isInteger(value)) return Math.round(value).toLocaleString("en");
  return size >= 100 ? value.toFixed(0) : size >= 1 ? value.toFixed(1) : value.toFixed(2);
}

export function percent(share: Figure | undefined): string {
  if (share === null || share === undefined) return ABSENT;
  // Never 100 % when something is missing.
  if (share >= 0.99 && share < 1) return `${Math.min(99.9, share * 100).toFixed(1)} %`;
  return `${(share * 100).toFixed(0)} %`;
}

/** A small share, such as an error, with its tenths: 0.4 % is not nothing. */
export function tenths(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}

export function seconds(value: Figure | undefined): string {
  if (value === null || value === undefined) return ABSENT;
  if (value === 0) return "0 s";
  if (value < 0.0995) return `${(value * 1000).toFixed(0)} ms`;
  if (value < 9.95) return `${value.toFixed(1)} s`;
  return value < 120 ? `${value.toFixed(0)} s` : span(value);
}

/** Words as a sentence: it begins large and ends with a stop. */
export function sentence(words: string): string {
  const shown = signs(words.replace(/[.\s]+$/, ""));
  return `${shown.charAt(0).toUpperCase()}${shown.slice(1)}.`;
}

export function span(value: number): string {
  const whole = Math.max(0, Math.round(value));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min`;
  const hours = Math.floor(whole / 3600);
  if (hours < 48) return `${hours} h ${Math.floor((whole % 3600) / 60)} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

export function bytes(value: Figure | undefined): string {
  if (value === null || value === undefined) return ABSENT;
  const units = ["B", "kB", "MB", "GB", "TB"];
  let size = value;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${size >= 100 || unit === 0 ? size.toFixed(0) : size.toFixed(1)} ${units[unit]}`;
}

/** An instant of a run: the time of day where the run has one, else the time since its start. */
export function clock(run: Pick<Run, "started_at">, at_s: number): string {
  return stamp(instant(run, at_s), run.started_at !== null);
}

export function instant(run: Pick<Run, "started_at">, at_s: number): number {
  return (run.started_at ?? 0) + at_s;
}

export function stamp(at: number, ofDay: boolean, short = false): string {
  if (ofDay) {
    const time = new Date(at * 1000);
    const parts = [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, "0"));
    return (short ? parts.slice(0, 2) : parts).join(":");
  }
  const whole = Math.round(at);
  const minutes = String(Math.floor((whole % 3600) / 60)).padStart(2, "0");
  const tail = short ? "" : `:${String(whole % 60).padStart(2, "0")}`;
  return `${Math.floor(whole / 3600)}:${minutes}${tail}`;
}

/** An instant as a field of a form takes it: local time where the run has one, else the time since its start. */
export function toInput(run: Pick<Run, "started_at">, at_s: number): string {
  if (run.started_at === null) return stamp(Math.max(0, at_s), false);
  const time = new Date(instant(run, at_s) * 1000);
  const day = [time.getFullYear(), time.getMonth() + 1, time.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
  return `${day}T${stamp(instant(run, at_s), true)}`;
}

/** What somebody put into such a field, on the run's clock; null where it is no time. */
export function fromInput(run: Pick<Run, "started_at">, text: string): number | null {
  if (run.started_at !== null) {
    const at = new Date(text).getTime() / 1000;
    return Number.isFinite(at) ? at - run.started_at : null;
  }
  const parts = text.trim().split(":");
  if (parts.length > 3 || parts.some((part) => !/^\d+(\.\d+)?$/.test(part))) return null;
  return parts.reduce((sum, part) => 60 * sum + Number(part), 0);
}

/** The signs that a terminal has no key for. */
export function signs(text: string): string {
  return text.replaceAll("->", "→").replaceAll("<=", "≤").replaceAll(">=", "≥");
}

export function when(epoch_s: number): string {
  return new Date(epoch_s * 1000).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
}

/** The mean of what is known; null where nothing is. Makes no list in between: it is asked for of each of 400 tenants. */
export function mean(values: (number | null)[] = []): number | null {
  let sum = 0;
  let known = 0;
  for (const value of values) {
    if (value === null) continue;
    sum += value;
    known += 1;
  }
  return known ? sum / known : null;
}
