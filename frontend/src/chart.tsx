// A chart over time on uPlot: lines, areas, targets, decisions as marks; one cursor for all charts of a page.

import { useContext, useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Act, Decision, Figure } from "./api";
import { instant, number, stamp } from "./format";
import { drawMarks, toldAt, type Told } from "./marks";
import { picture, save, type Key } from "./picture";
import { SiteContext } from "./site";
import { Term, type Meaning } from "./terms";
import { colour, inCss, useInks } from "./theme";

export interface Line {
  label: string;
  values: (Figure | undefined)[]; // undefined: no point of its own, the line goes on
  colour: string; // a colour, or the name of one in the style sheet
  fill?: string;
  dash?: boolean;
  width?: number;
  stepped?: boolean;
}

export interface ChartProps {
  title: string;
  means?: Meaning; // what its figures are
  of?: string; // the tenant that it tells of, where the page says so elsewhere
  at_s: number[];
  lines: Line[];
  run: { started_at: Figure };
  format?: (value: Figure) => string;
  marks?: Decision[];
  acts?: Act[]; // of people
  height?: number;
  sync?: string;
  max?: number;
  filled?: boolean; // lines are the upper edges of a stack, the highest first
  bands?: [number, number][]; // pairs of lines between which the chart is filled
  now_s?: number; // a vertical line at the present
  about?: string;
  relative?: boolean; // times count from the present, or from the beginning where `now_s` is not given
  margins?: boolean; // as wide as the strips beside it: one time axis for all
  zoom?: [number, number] | null; // the part that is shown, in the times of at_s
  setZoom?: (zoom: [number, number] | null) => void; // without it a chart zooms by itself
  keys?: Key[]; // what its colours mean, where that stands beside it instead of in its own legend
}

const HEIGHT = 180;
const LAST_LABEL = 26; // half of "12:34:56": the label of a tick at the very end
const LEAST_DRAG = 8; // pixels; less is a click
const NARROW = "(max-width: 760px)"; // as in the style sheet, where the strips' columns are
const TIMES = [1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800];

export function Chart(given: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [own, setOwn] = useState<[number, number] | null>(null);
  const props: ChartProps = given.setZoom ? given : { ...given, zoom: own, setZoom: setOwn };
  const shown = useRef(props);
  shown.current = props;
  const site = useContext(SiteContext);
  const [at, setAt] = useState<number | null>(null);
  const [near, setTold] = useState<Told | null>(null);
  const empty = props.at_s.length === 0;
  // All that a plot is made of but its figures: what is left out here is drawn as it first was, whatever the legend says.
  const shape = JSON.stringify([
    props.lines.map(({ values, ...how }) => how),
    props.run.started_at,
    [props.max, props.height, props.filled, props.bands, props.sync, props.relative, props.margins],
  ]);

  useEffect(() => {
    const element = place.current;
    if (element === null || empty) return; // axes of nothing say nothing
    // Made by the watcher's first call: asking for the width by ourselves would lay out the page for each chart.
    const watcher = new ResizeObserver(([entry]) => {
      const width = Math.round(entry!.contentRect.width);
      if (plot.current) plot.current.setSize({ width, height: shown.current.height ?? HEIGHT });
      else plot.current = new uPlot(options(shown, width, setAt, setTold), data(shown.current), element);
    });
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [shape, empty]);

  useEffect(() => {
    plot.current?.setData(data(props));
  }, [props.at_s, props.lines, props.marks, props.acts, props.zoom]);

  useInks(() => plot.current?.redraw(false));

  const format = props.format ?? number;
  const index = at ?? lastShown(props);
  const legend = props.lines.filter((line) => line.label);
  const heading = index >= 0 && props.at_s.length ? moment(props, props.at_s[index]!) : "";
  const kept = (): void => {
    if (plot.current === null) return;
    const title = props.of ? `${props.of}: ${props.title}` : props.title;
    const about = [site && `${site.overview.run.name} under ${site.overview.run.policy}`, between(props)].filter(Boolean).join(", ");
    save(picture({ title, about, keys: (props.keys ?? legend.map(keyed)).map((key) => ({ ...key, colour: inked(key.colour) })) }, plot.current.ctx.canvas, devicePixelRatio), `${title} ${heading}`);
  };
  return (
    <figure class="chart">
      <figcaption>
        <span class="title">{props.means ? <Term of={props.means}>{props.title}</Term> : props.title}</span>
        <span class="legend">
          {legend.map((line) => (
            <span class="key" key={line.label}>
              <i class={line.dash ? "swatch dashed" : "swatch"} style={{ "--swatch": inCss(line.colour) }} />
              {line.label} <b>{format(line.values[index] ?? null)}</b>
            </span>
          ))}
          {heading && <span class="moment">{heading}</span>}
          {own && <button type="button" class="plain small" onClick={() => setOwn(null)}>all of it</button>}
          {props.at_s.length > 0 && (
            <button type="button" class="plain save" title="Save picture" aria-label={`Save picture: ${props.title}`} onClick={kept}>
              <span aria-hidden="true">⤓</span>
            </button>
          )}
        </span>
      </figcaption>
      {props.at_s.length === 0 && <p class="quiet">Nothing is recorded here yet.</p>}
      {near && <p class="told" style={{ "--at": `${near.left}px` }} data-testid="told">{near.text}</p>}
      <div ref={place} class="plot" style={{ minHeight: `${props.at_s.length ? (props.height ?? HEIGHT) : 10}px` }} role="img" aria-label={spoken(props, format)} />
    </figure>
  );
}

/** The place of the last figure that is to be seen: of a zoom it is not the last of all. */
export function lastShown({ at_s, zoom }: Pick<ChartProps, "at_s" | "zoom">): number {
  const last = zoom ? at_s.findLastIndex((at) => at <= zoom[1]) : -1;
  return last >= 0 ? last : at_s.length - 1;
}

/** The time that is shown, in words. */
function between(props: ChartProps): string {
  const [first, last] = props.zoom ?? [props.at_s[0] ?? 0, props.at_s.at(-1) ?? 0];
  return `${moment(props, first)} to ${moment(props, last)}`;
}

function keyed(line: Line): Key {
  return { label: line.label, colour: line.colour, dash: Boolean(line.dash) };
}

/** What is told of the mark that the pointer is at, in pixels of the figure. */
function told(made: uPlot, props: ChartProps): Told | null {
  const left = made.cursor.left ?? -1;
  if (left < 0 || !made.over.matches(":hover")) return null; // other charts only follow
  const found = toldAt(props, left, (at_s) => made.valToPos(props.relative ? at_s : instant(props.run, at_s), "x"));
  return found && { ...found, left: found.left + made.bbox.left / devicePixelRatio };
}

function moment(props: ChartProps, at_s: number): string {
  if (props.relative) return `${at_s < 0 ? "" : "+"}${stamp(Math.abs(at_s), false)}`.replace(/^/, at_s < 0 ? "−" : "");
  return stamp(instant(props.run, at_s), props.run.started_at !== null);
}

/** The chart in a sentence, for those who cannot see it. */
function spoken(props: ChartProps, format: (value: Figure) => string): string {
  const told = props.lines.map((line) => {
    const known = line.values.filter((value): value is number => value != null);
    if (!known.length) return `${line.label}: no figures`;
    const low = Math.min(...known);
    const high = Math.max(...known);
    return `${line.label}: from ${format(low)} to ${format(high)}, last ${format(known.at(-1) ?? null)}`;
  });
  const marks = props.marks?.length ? ` ${props.marks.length} decisions are marked.` : "";
  const acts = props.acts?.length ? ` ${props.acts.length} acts of people are marked: ${props.acts.map((act) => act.text).join("; ")}.` : "";
  return `${props.title}. ${props.about ?? ""} ${told.join("; ")}.${marks}${acts}`;
}

function inked(name: string): string {
  return name.startsWith("#") || name.startsWith("rgb") ? name : colour(name);
}

function data(props: ChartProps): uPlot.AlignedData {
  const from = props.relative ? 0 : (props.run.started_at ?? 0);
  return [props.at_s.map((at) => at + from), ...props.lines.map((line) => line.values)];
}

function options(
  shown: { current: ChartProps },
  width: number,
  setAt: (index: number | null) => void,
  setTold: (told: Told | null) => void,
): uPlot.Options {
  const props = shown.current;
  const ofDay = props.run.started_at !== null && !props.relative;
  // Asked for whenever it is drawn: with other colours, or on paper, the plot is the same.
  const grid = { stroke: () => colour("line"), width: 1 };
  const axis = { stroke: () => colour("ink-3"), font: "11px system-ui, sans-serif", grid, ticks: { show: false } };
  const format = (value: Figure): string => (props.format ?? number)(value);
  const [left, right] = !props.margins ? [58, LAST_LABEL] : matchMedia(NARROW).matches ? [99, 55] : [160, 62];
  return {
    width,
    height: props.height ?? HEIGHT,
    padding: [10, right, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: !props.filled }, drag: { x: Boolean(props.setZoom), y: false, setScale: false }, ...(props.sync ? { sync: { key: props.sync } } : {}) },
    scales: {
      x: { time: false, range: (_, low, high) => zoomed(shown.current) ?? [low, high] },
      y: { range: (_, __, high) => [0, props.max ?? (high > 0 ? high * 1.08 : 1)] },
    },
    axes: [
      {
        ...axis,
        size: 26,
        space: 64,
        incrs: TIMES,
        values: (_, splits, __, ___, step) =>
          splits.map((at) =>
            props.relative ? relative(at, step, props.now_s === 0 ? "now" : "0") : step >= 86400 && ofDay ? day(at) : stamp(at, ofDay, step >= 60),
          ),
      },
      { ...axis, size: left, space: 32, values: (_, splits) => splits.map((value) => format(value)) },
    ],
    series: [
      {},
      ...props.lines.map((line) => ({
        label: line.label,
        stroke: () => inked(line.colour),
        width: line.width ?? (props.filled ? 1 : 1.6),
        points: { show: false },
        ...(line.dash ? { dash: [5, 4] } : {}),
        ...(props.filled || line.fill ? { fill: () => inked(line.fill ?? line.colour) } : {}),
        ...(line.stepped && uPlot.paths.stepped ? { paths: uPlot.paths.stepped({ align: 1 }) } : {}),
      })),
    ],
    ...(props.bands ? { bands: props.bands.map((pair) => ({ series: [pair[0] + 1, pair[1] + 1] as [number, number], fill: () => colour("band") })) } : {}),
    hooks: {
      draw: [(made) => drawMarks(made, shown.current)],
      setCursor: [(made) => { setAt(made.cursor.idx ?? null); setTold(told(made, shown.current)); }],
      setSelect: [(made) => selected(made, shown.current)],
      ready: [(made) => made.over.addEventListener("dblclick", () => shown.current.setZoom?.(null))],
    },
  };
}

/** The zoom in the times that the plot counts. */
function zoomed({ zoom, run, relative }: ChartProps): [number, number] | null {
  if (!zoom) return null;
  const from = relative ? 0 : (run.started_at ?? 0);
  return [zoom[0] + from, zoom[1] + from];
}

/** Somebody dragged across the chart: that part is looked at from now on. */
function selected(made: uPlot, props: ChartProps): void {
  const { left, width } = made.select;
  if (width < LEAST_DRAG) return;
  const from = props.relative ? 0 : (props.run.started_at ?? 0);
  made.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  props.setZoom?.([made.posToVal(left, "x") - from, made.posToVal(left + width, "x") - from]);
}

function day(at: number): string {
  return new Date(at * 1000).toLocaleDateString("en-GB", { day: "numeric", month: "short" });
}

/** A tick that counts from the present or, where there is none, from the beginning: evenly told, whatever the step. */
export function relative(at: number, step: number, zero: string): string {
  if (at === 0) return zero;
  const sign = at > 0 ? "+" : "−";
  if (step < 60) return `${sign}${Math.abs(at)} s`;
  const [unit, name]: [number, string] = step < 3600 ? [60, "min"] : [3600, "h"];
  const told = Math.abs(at) / unit;
  return `${sign}${Number.isInteger(told) ? told : told.toFixed(1)} ${name}`;
}
