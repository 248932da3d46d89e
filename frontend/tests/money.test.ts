import { expect, test } from "vitest";
import type { Overview } from "../src/api";
import { money, spent } from "../src/money";
import { anOverview, aTenant } from "./builders";

const price = { slot_hour: 3.6, currency: "EUR" }; // a thousandth of it a second

function priced(more: Partial<NonNullable<Overview["present"]>> = {}): Overview {
  const share = { ...aTenant().share, weight: 4, weights: 16 };
  const tenants = [aTenant({ name: "ads", share }), aTenant({ name: "geo", share })];
  const at_s = [0, 10, 20, 30];
  const jobs = {
    ads: { at_s, values: { slots: [4, 4, 4, 4], met: [1, 0, 1, 1] } },
    geo: { at_s, values: { slots: [12, 12, 12, 12], met: [null, null, 1, 1] } },
  };
  const present = {
    at_s: 30, cycle: 3, utility: 1, max_utility: 1, known_utility: 1, possible_utility: 1, met: 0, judged: 1, starting: 0, resting: 0, slots: 8, given: "", note: "", headline: "", state: "fine" as const,
    tenants, machines: [], levers: [], shortfall: "", price, ...more,
  };
  return anOverview({ jobs, present, totals: { at_s, values: {} } });
}

test("weights that exceed the slots cost no more than these, and what was paid in a miss is told apart", () => {
  // 4 and 12 of 16 share 8 slots: 2 and 6 of them for 30 s; ads misses for 10 s of it.
  const [geo, ads] = spent(priced());
  expect([geo!.name, geo!.cost, geo!.missed]).toEqual(["geo", expect.closeTo(0.18), 0]);
  expect([ads!.name, ads!.cost, ads!.missed]).toEqual(["ads", expect.closeTo(0.06), expect.closeTo(0.02)]);
});

test("without a price nothing costs anything", () => {
  expect(spent(priced({ price: null }))).toEqual([]);
});

test("amounts have the digits that say something", () => {
  expect([12.4, 0.0031, 1234.6, 0].map((amount) => money(price, amount))).toEqual(["12.40 EUR", "0.0031 EUR", "1,235 EUR", "0.00 EUR"]);
});
