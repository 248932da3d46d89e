// Light or dark: the system's choice until somebody makes another. Charts are painted and must know.

import { useEffect, useState } from "preact/hooks";

const KEPT = "penstock-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();
const inks = new Map<string, string>();

export function applied(): "light" | "dark" {
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

export const SERIES = 8;

/** The colour of a tenant among others, the same on every page. */
export function tenantColour(place: number): string {
  return colour(`c${place % SERIES}`);
}
