// A chart as a picture to pass on: its title, what its colours mean, and the plot, on the page's ground.

import { colour } from "./theme";

export interface Key {
  label: string;
  colour: string; // as a canvas takes it
  dash: boolean;
}

/** What stands above the plot. */
export interface Heading {
  title: string;
  about: string; // which run, and when
  keys: Key[];
}

const EDGE = 14;
const LINE = 18;
const HEAD = 26; // down to the line of what it is about
const GAP = 14; // between keys
const SWATCH = 17; // with the space after it

/** One canvas with all of it; the plot's own canvas counts in the screen's pixels. */
export function picture({ title, about, keys }: Heading, plot: HTMLCanvasElement, ratio: number): HTMLCanvasElement {
  const made = document.createElement("canvas");
  made.width = plot.width + 2 * EDGE * ratio;
  const small = `${11 * ratio}px system-ui, sans-serif`;
  const measure = made.getContext("2d");
  if (measure === null) return made;
  measure.font = small;
  const rows = rowsOf(keys.map((key) => (SWATCH + GAP) * ratio + measure.measureText(key.label).width), plot.width);
  const head = (HEAD + LINE * (rows.length + (about ? 1 : 0))) * ratio;
  made.height = plot.height + head + EDGE * ratio; // which empties the canvas, and all that was set
  const ctx = made.getContext("2d")!;
  ctx.fillStyle = colour("surface");
  ctx.fillRect(0, 0, made.width, made.height);
  ctx.fillStyle = colour("ink");
  ctx.font = `600 ${13 * ratio}px system-ui, sans-serif`;
  ctx.fillText(title, EDGE * ratio, 20 * ratio);
  ctx.font = small;
  ctx.fillStyle = colour("ink-2");
  if (about) ctx.fillText(about, EDGE * ratio, 38 * ratio);
  rows.forEach((row, place) => {
    const y = HEAD + LINE * (place + (about ? 1 : 0)); // of the row's upper edge
    let x = EDGE * ratio;
    for (const key of row.map((one) => keys[one]!)) {
      ctx.fillStyle = key.colour;
      ctx.fillRect(x, (y + (key.dash ? 7 : 4)) * ratio, 12 * ratio, (key.dash ? 2 : 8) * ratio);
      ctx.fillStyle = colour("ink-2");
      ctx.fillText(key.label, x + SWATCH * ratio, (y + 12) * ratio);
      x += (SWATCH + GAP) * ratio + ctx.measureText(key.label).width;
    }
  });
  ctx.drawImage(plot, EDGE * ratio, head);
  return made;
}

/** Which keys stand in which row where so much room is: none is cut, and a row has at least one. */
export function rowsOf(widths: number[], room: number): number[][] {
  const rows: number[][] = [];
  let left = 0;
  widths.forEach((width, place) => {
    if (rows.length === 0 || width > left) {
      rows.push([]);
      left = room;
    }
    rows.at(-1)!.push(place);
    left -= width;
  });
  return rows;
}

/** Hands the picture to the browser as a file. */
export function save(canvas: HTMLCanvasElement, name: string): void {
  const link = document.createElement("a");
  link.download = `${name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")}.png`;
  link.href = canvas.toDataURL("image/png");
  link.click();
}
