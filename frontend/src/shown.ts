// The part of a run that is shown: what is said of it in words is of that part, too.

import { useMemo } from "preact/hooks";
import type { Overview, Series } from "./api";

type Zoom = [number, number];

export function useZoomed(overview: Overview, zoom: Zoom | null): Overview {
  return useMemo(() => (zoom === null ? overview : within(overview, zoom)), [overview, zoom]);
}

export function within(overview: Overview, zoom: Zoom): Overview {
  return {
    ...overview,
    totals: cut(overview.totals, zoom),
    jobs: Object.fromEntries(Object.entries(overview.jobs).map(([name, series]) => [name, cut(series, zoom)])),
    decisions: overview.decisions.filter(({ at_s }) => at_s >= zoom[0] && at_s <= zoom[1]),
  };
}

/** With the point before the beginning, which holds until the next. */
export function cut({ at_s, values }: Series, [from, to]: Zoom): Series {
  const first = Math.max(0, at_s.findLastIndex((at) => at <= from));
  const end = at_s.findLastIndex((at) => at <= to) + 1;
  return { at_s: at_s.slice(first, end), values: Object.fromEntries(Object.entries(values).map(([name, column]) => [name, column.slice(first, end)])) };
}
