// Light or dark: the system's choice until somebody makes another. Charts are painted and must know.

import { useEffect, useRef, useState } from "preact/hooks";

const KEPT = "penstock-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();
const inks = new Map<string, string>();
let printing = false;

export function applied(): "light" | "dark" {
  if (printing) return "light"; // paper is white
  const chosen = localStorage.getItem(KEPT);
  return chosen === "light" || chosen === "dark" ? chosen : dark.matches ? "dark" : "light";
}

export function show(): void {
  document.documentElement.dataset.theme = applied();
  inks.clear();
  for (const listener of listeners) listener();
}

export function toggle(): void {
  localStorage.setItem(KEPT, applied() === "dark" ? "light" : "dark");
  show();
}

dark.addEventListener("change", show);
for (const [name, now] of [["beforeprint", true], ["afterprint", false]] as const) {
  addEventListener(name, () => {
    printing = now;
    show();
  });
}

export function useTheme(): "light" | "dark" {
  const [theme, setTheme] = useState(applied());
  useEffect(() => {
    const listener = (): void => setTheme(applied());
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return theme;
}

/** A colour of the style sheet. Each is asked for once: the answer costs a look at the whole page's style. */
export function colour(name: string): string {
  const known = inks.get(name);
  if (known !== undefined) return known;
  const found = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  inks.set(name, found);
  return found;
}

/** A colour, or the name of one, as a style sheet takes it: it follows when colours change. */
export function inCss(name: string): string {
  return name.startsWith("#") || name.startsWith("rgb") ? name : `var(--${name})`;
}

/** Paints again at once when colours change: a printer does not wait for the next frame. */
export function useInks(paint: () => void): void {
  const known = useRef(paint);
  known.current = paint;
  useEffect(() => {
    const listener = (): void => known.current();
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
}

export const SERIES = 8;
