// A job's operators as a graph from left to right, coloured by how busy each is.

import type { Operator, Share } from "./api";
import { number, percent } from "./format";

const WIDTH = 168;
const HEIGHT = 62;
const GAP_X = 46;
const GAP_Y = 18;

export function Graph({ operators, edges, share }: { operators: Operator[]; edges: [string, string][]; share: Share | null }) {
  const columns = layered(operators.map((operator) => operator.name), edges);
  const place = new Map<string, [number, number]>();
  const most = Math.max(...columns.map((column) => column.length), 1);
  columns.forEach((column, x) =>
    column.forEach((name, y) => {
      const offset = ((most - column.length) * (HEIGHT + GAP_Y)) / 2;
      place.set(name, [x * (WIDTH + GAP_X), offset + y * (HEIGHT + GAP_Y)]);
    }),
  );
  const width = columns.length * (WIDTH + GAP_X) - GAP_X;
  const height = most * (HEIGHT + GAP_Y) - GAP_Y;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Operators, a graph">
      <svg class="graph" viewBox={`-2 -2 ${width + 4} ${height + 4}`} width={width + 4} height={height + 4} role="group" aria-label="Operators and their connections">
        {edges.map(([from, to]) => <Edge key={`${from} ${to}`} from={place.get(from)} to={place.get(to)} />)}
        {operators.map((operator) => <Node key={operator.name} operator={operator} share={share} at={place.get(operator.name) ?? [0, 0]} />)}
      </svg>
    </div>
  );
}

function Node({ operator, share, at }: { operator: Operator; share: Share | null; at: [number, number] }) {
  const name = operator.name === "*" ? "all operators" : operator.name;
  const all = operator.name === "*"; // they share slots: its threads are a weight, and it may use what others leave
  const has = all ? `weight ${operator.threads}` : `${operator.threads} ${operator.threads === 1 ? "thread" : "threads"}`;
  const worked = percent(operator.capacity === null ? null : Math.min(1, operator.capacity)); // as everywhere: beyond its share it is told in slots
  const used = all && share?.used_slots != null ? `, ${number(share.used_slots)} slots used` : "";
  const busy = `busy ${worked}${all ? " of its share" : ""}${used}`;
  return (
    <g transform={`translate(${at[0]} ${at[1]})`} class={`node ${heat(operator.capacity)}`} role="img" aria-label={`${name}: ${has}, ${busy}`}>
      <rect width={WIDTH} height={HEIGHT} rx="8" />
      <rect class="fill" y={HEIGHT - 5} height="5" width={WIDTH * Math.min(1, operator.capacity ?? 0)} />
      <text x="12" y="21" class="name">{name.length > 20 ? `${name.slice(0, 19)}…` : name}</text>
      <title>{`${has}, ${busy}`}</title>
      <text x="12" y="38">{has} · busy {worked}</text>
      <text x="12" y="52" class="small">{number(operator.rows_in_rps)} → {number(operator.rows_out_rps)} rows/s</text>
    </g>
  );
}

function Edge({ from, to }: { from: [number, number] | undefined; to: [number, number] | undefined }) {
  if (!from || !to) return null;
  const [x1, y1] = [from[0] + WIDTH, from[1] + HEIGHT / 2];
  const [x2, y2] = [to[0], to[1] + HEIGHT / 2];
  const bend = (x2 - x1) / 2;
  return <path class="edge" d={`M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`} />;
}

function heat(capacity: number | null): string {
  if (capacity === null) return "h-none";
  return capacity > 0.9 ? "h-3" : capacity > 0.6 ? "h-2" : capacity > 0.3 ? "h-1" : "h-0";
}

function layered(names: string[], edges: [string, string][]): string[][] {
  const depth = new Map(names.map((name) => [name, 0]));
  for (let round = 0; round < names.length; round += 1) {
    for (const [from, to] of edges) depth.set(to, Math.max(depth.get(to) ?? 0, (depth.get(from) ?? 0) + 1));
  }
  const columns: string[][] = [];
  for (const name of names) (columns[depth.get(name) ?? 0] ??= []).push(name);
  return columns.filter(Boolean);
}
