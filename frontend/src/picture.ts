// A chart as a picture to pass on: its title, what its colours mean, and the plot, on the page's ground.

import { colour } from "./theme";

export interface Key {
  label: string;
  colour: string; // as a canvas takes it
  dash: boolean;
}

const EDGE = 14;
const HEAD = 46;

/** One canvas with all of it; the plot's own canvas counts in the screen's pixels. */
export function picture(title: string, keys: Key[], plot: HTMLCanvasElement, ratio: number): HTMLCanvasElement {
  const made = document.createElement("canvas");
  made.width = plot.width + 2 * EDGE * ratio;
  made.height = plot.height + (HEAD + EDGE) * ratio;
  const ctx = made.getContext("2d");
  if (ctx === null) return made;
  ctx.fillStyle = colour("surface");
  ctx.fillRect(0, 0, made.width, made.height);
  ctx.fillStyle = colour("ink");
  ctx.font = `600 ${13 * ratio}px system-ui, sans-serif`;
  ctx.fillText(title, EDGE * ratio, 20 * ratio);
  ctx.font = `${11 * ratio}px system-ui, sans-serif`;
  let x = EDGE * ratio;
  for (const key of keys) {
    ctx.fillStyle = key.colour;
    ctx.fillRect(x, (key.dash ? 33 : 30) * ratio, 12 * ratio, (key.dash ? 2 : 8) * ratio);
    ctx.fillStyle = colour("ink-2");
    ctx.fillText(key.label, x + 17 * ratio, 38 * ratio);
    x += 17 * ratio + ctx.measureText(key.label).width + 14 * ratio;
  }
  ctx.drawImage(plot, EDGE * ratio, HEAD * ratio);
  return made;
}

/** Hands the picture to the browser as a file. */
export function save(canvas: HTMLCanvasElement, name: string): void {
  const link = document.createElement("a");
  link.download = `${name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")}.png`;
  link.href = canvas.toDataURL("image/png");
  link.click();
}
