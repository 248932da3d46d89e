// What tenants cost: the slots that they held in the time shown, at the price of the tenants file.

import type { Overview, Price, Series } from "./api";

export interface Spent {
  name: string;
  cost: number;
  missed: number; // of it, while it was seen to miss what it asks for
}

/** An amount in the file's currency; small ones with the digits that say something. */
export function money(price: Price, amount: number): string {
  const digits = amount >= 1000 ? 0 : amount >= 0.1 || amount === 0 ? 2 : 4;
  const text = amount.toLocaleString("en-GB", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${text} ${price.currency}`.trim();
}

/** What each tenant cost in the time shown, the dearest first; none where no price is given. */
export function spent(overview: Overview): Spent[] {
  const price = overview.present?.price;
  if (!price) return [];
  const weighs = new Set(overview.present!.tenants.filter((tenant) => tenant.share.weight !== null).map((tenant) => tenant.name));
  const slots = overview.present!.slots;
  const at_s = overview.totals.at_s;
  const columns = Object.entries(overview.jobs).map(([name, series]) => ({ name, held: aligned(series, "slots", at_s), met: aligned(series, "met", at_s) }));
  const weights = at_s.map((_, place) => columns.reduce((sum, one) => sum + (weighs.has(one.name) ? (one.held[place] ?? 0) : 0), 0));
  const hours = lengths(at_s).map((length) => length / 3600);
  return columns
    .map(({ name, held, met }) => {
      const costs = hours.map((hour, place) => {
        const scale = weighs.has(name) && slots !== null ? Math.min(1, slots / (weights[place] || 1)) : 1;
        return (held[place] ?? 0) * scale * hour * price.slot_hour;
      });
      const missed = costs.reduce((sum, cost, place) => sum + cost * (met[place] == null ? 0 : 1 - met[place]!), 0);
      return { name, cost: costs.reduce((sum, cost) => sum + cost, 0), missed };
    })
    .sort((a, b) => b.cost - a.cost);
}

/** How long each figure holds: until the next, over an outage no longer than usual. */
function lengths(at_s: number[]): number[] {
  const found = at_s.slice(1).map((at, place) => at - at_s[place]!);
  const usual = found.toSorted((a, b) => a - b)[Math.floor(found.length / 2)] ?? 0;
  return found.map((length) => (length <= 5 * usual ? length : usual));
}

function aligned(series: Series, name: string, at_s: number[]): (number | null)[] {
  const values = series.values[name] ?? [];
  let index = -1;
  return at_s.map((at) => {
    while (index + 1 < series.at_s.length && series.at_s[index + 1]! <= at) index += 1;
    return index < 0 ? null : (values[index] ?? null);
  });
}
