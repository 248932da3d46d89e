// Marks on charts: decisions as heads whose shape says how they turned out, acts of people as diamonds, the present.

import type uPlot from "uplot";
import type { Act, Decision, Run } from "./api";
import { clock, instant, signs } from "./format";
import { colour } from "./theme";

export interface Marked {
  run: Pick<Run, "started_at">;
  marks?: Decision[];
  acts?: Act[];
  now_s?: number;
}

const NEAR = 9; // pixels
const HEAD = 6; // half of the widest, in pixels

/** What is told of the mark that the pointer is at. */
export interface Told {
  left: number; // pixels from the plot's left edge
  text: string;
}

/** The sentence of the mark nearest to the pointer, if one is near; of several at one place all are told. */
export function toldAt(marked: Marked, left: number, leftOf: (at_s: number) => number): Told | null {
  const known = [
    ...(marked.marks ?? []).map((mark) => ({ at_s: mark.at_s, text: decisionTold(mark) })),
    ...(marked.acts ?? []).map((act) => ({ at_s: act.at_s, text: signs(act.text) })),
  ].map((one) => ({ ...one, left: leftOf(one.at_s) }));
  const near = known.filter((one) => Math.abs(one.left - left) <= NEAR).sort((one, other) => Math.abs(one.left - left) - Math.abs(other.left - left));
  const first = near[0];
  if (first === undefined) return null;
  const same = near.filter((one) => Math.abs(one.left - first.left) < 1);
  return { left: first.left, text: `${clock(marked.run, first.at_s)} ${same.map((one) => one.text).join(" · ")}` };
}

function decisionTold(decision: Decision): string {
  return signs(`${decision.number}. ${decision.text || decision.reason}: ${decision.why.replace(/[.\s]+$/, "")}; ${decision.verdict ?? decision.came}`);
}

/** All marks of a chart. */
export function drawMarks(made: uPlot, marked: Marked): void {
  const { ctx, bbox } = made;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left - HEAD * ratio, bbox.top - 8 * ratio, bbox.width + 2 * HEAD * ratio, bbox.height + 8 * ratio); // a mark at the edge has its whole head
  ctx.clip();
  if (marked.now_s !== undefined) {
    const x = made.valToPos(marked.now_s, "x", true);
    stroke(ctx, x, bbox, colour("ink-2"), ratio, []);
  }
  for (const mark of marked.marks ?? []) {
    const x = made.valToPos(instant(marked.run, mark.at_s), "x", true);
    const ink = colour(mark.came === "better" ? "good" : mark.came === "worse" || mark.came === "not done" ? "bad" : "mark");
    stroke(ctx, x, bbox, ink, ratio, [2 * ratio, 3 * ratio]);
    ctx.fillStyle = ink;
    const size = 4 * ratio;
    ctx.beginPath();
    const y = bbox.top - 2 * ratio;
    if (mark.came === "better") triangle(ctx, x, y, size, -1);
    else if (mark.came === "worse" || mark.came === "not done") triangle(ctx, x, y, size, 1);
    else ctx.arc(x, y, size * 0.8, 0, 7);
    ctx.fill();
  }
  for (const act of marked.acts ?? []) {
    const x = made.valToPos(instant(marked.run, act.at_s), "x", true);
    const ink = colour("c4");
    stroke(ctx, x, bbox, ink, ratio, []);
    ctx.fillStyle = ink;
    ctx.beginPath();
    diamond(ctx, x, bbox.top - 2 * ratio, 5 * ratio);
    ctx.fill();
  }
  ctx.restore();
}

function stroke(ctx: CanvasRenderingContext2D, x: number, bbox: uPlot.BBox, ink: string, ratio: number, dash: number[]): void {
  ctx.strokeStyle = ink;
  ctx.lineWidth = ratio;
  ctx.setLineDash(dash);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.setLineDash([]);
}

function diamond(ctx: CanvasRenderingContext2D, x: number, y: number, size: number): void {
  ctx.moveTo(x, y - size);
  ctx.lineTo(x + size, y);
  ctx.lineTo(x, y + size);
  ctx.lineTo(x - size, y);
}

function triangle(ctx: CanvasRenderingContext2D, x: number, y: number, size: number, down: 1 | -1): void {
  ctx.moveTo(x, y + down * size);
  ctx.lineTo(x - size, y - down * size * 0.8);
  ctx.lineTo(x + size, y - down * size * 0.8);
}
