// SLO satisfaction: a strip for each tenant, met or how far from it, on the charts' time axis.

import { useEffect, useRef } from "preact/hooks";
import type { Series } from "./api";
import { mean, percent } from "./format";
import { Term } from "./terms";
import { colour, useInks } from "./theme";
import { useMany, Rest } from "./many";
import { link } from "./route";

interface StripsProps {
  jobs: [string, Series][];
  from_s: number;
  to_s: number;
  run: string;
}

export function Strips({ jobs, from_s, to_s, run }: StripsProps) {
  const many = useMany(jobs, ([name]) => name);
  return (
    <figure class="chart strips">
      <figcaption>
        <span class="title"><Term of="met">Who met their intents</Term></span>
        <span class="legend">
          <span class="key"><i class="swatch" style={{ "--swatch": "var(--met)" }} />met</span>
          <span class="key"><i class="swatch" style={{ "--swatch": "var(--u2)" }} />most of its utility</span>
          <span class="key"><i class="swatch" style={{ "--swatch": "var(--u1)" }} />some</span>
          <span class="key"><i class="swatch" style={{ "--swatch": "var(--u0)" }} />little</span>
          <span class="key"><i class="swatch hatched" />blind or stale</span>
        </span>
      </figcaption>
      <ul>
        {many.shown.map(([name, series]) => (
          <li key={name}>
            <a href={link("tenant", { run, job: name })}>{name}</a>
            <Strip series={series} from_s={from_s} to_s={to_s} label={`${name}: met ${percent(metShare(series))} of the time, blind or stale ${percent(mean(series.values.unseen))}`} />
            <span class="value">{percent(metShare(series))}</span>
          </li>
        ))}
      </ul>
      <Rest many={many} one="strips" />
    </figure>
  );
}

function Strip({ series, from_s, to_s, label }: { series: Series; from_s: number; to_s: number; label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useRef<Size | null>(null);
  const paint = useRef(() => undefined as void);
  paint.current = () => {
    if (canvas.current && size.current) painted(canvas.current, size.current, series, from_s, to_s);
  };
  useEffect(() => {
    // One watcher for as long as the strip is there. It alone tells the size, which news do not change: asking for it
    // by ourselves would lay out the page each time.
    const watcher = new ResizeObserver(([entry]) => {
      size.current = entry!.contentRect;
      paint.current();
    });
    watcher.observe(canvas.current!);
    return () => watcher.disconnect();
  }, []);
  useEffect(() => paint.current(), [series, from_s, to_s]);
  useInks(() => paint.current());
  return <canvas ref={canvas} role="img" aria-label={label} title={label} />;
}

interface Size {
  width: number; // of the style sheet's pixels
  height: number;
}

function painted(element: HTMLCanvasElement, size: Size, series: Series, from_s: number, to_s: number): void {
  const width = Math.max(1, Math.round(size.width * devicePixelRatio));
  const height = Math.max(1, Math.round(size.height * devicePixelRatio));
  if (element.width !== width) element.width = width;
  if (element.height !== height) element.height = height;
  const ctx = element.getContext("2d");
  if (ctx === null) return;
  const inks = Object.fromEntries(["none", "met", "u0", "u1", "u2", "unseen"].map((name) => [name, colour(name)]));
  ctx.fillStyle = inks.none!;
  ctx.fillRect(0, 0, width, height);
  const scale = width / Math.max(1e-9, to_s - from_s);
  const at = series.at_s;
  at.forEach((start, index) => {
    const end = at[index + 1] ?? to_s;
    const left = Math.floor((start - from_s) * scale);
    const wide = Math.max(1, Math.ceil((end - from_s) * scale) - left);
    if ((series.values.unseen?.[index] ?? 0) > 0) return hatched(ctx, left, wide, height, inks.unseen!);
    const level = levelOf(series.values.met?.[index] ?? null, series.values.share?.[index] ?? null);
    if (level === null) return;
    ctx.fillStyle = inks[level]!;
    ctx.fillRect(left, 0, wide, height);
  });
}

/** Stripes across, for what nobody saw: neither a colour of good news nor an empty place. */
function hatched(ctx: CanvasRenderingContext2D, left: number, wide: number, height: number, ink: string): void {
  const step = 5 * devicePixelRatio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, 0, wide, height);
  ctx.clip();
  ctx.strokeStyle = ink;
  ctx.lineWidth = 1.6 * devicePixelRatio;
  ctx.beginPath();
  for (let x = Math.floor((left - height) / step) * step; x < left + wide; x += step) {
    ctx.moveTo(x, height);
    ctx.lineTo(x + height, 0);
  }
  ctx.stroke();
  ctx.restore();
}

function levelOf(met: number | null, share: number | null): string | null {
  if (met === null || share === null) return null;
  if (met > 0.98) return "met";
  return share >= 0.75 ? "u2" : share >= 0.4 ? "u1" : "u0";
}

/** The share of time in which it is proven that it had what it asked for; while nobody knew, it is not. */
function metShare(series: Series): number | null {
  const { met = [], unseen = [] } = series.values;
  return mean(met.map((value, index) => ((unseen[index] ?? 0) > 0 ? (value ?? 0) * (1 - unseen[index]!) : value)));
}
