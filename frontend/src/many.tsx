// Many tenants: those that matter first, the rest when they are asked for, any by its name.

import { useState } from "preact/hooks";
import { put, useRoute } from "./route";

export const FIRST = 15; // tenants that are shown before somebody asks for all
export const FEW = 8; // so many need no search

/** Those whose names have all the words. */
export function matching<T>(all: T[], name: (one: T) => string, words: string): T[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return wanted.length ? all.filter((one) => wanted.every((word) => name(one).toLowerCase().includes(word))) : all;
}

export interface Many<T> {
  shown: T[];
  rest: number;
  all: boolean;
  setAll: (all: boolean) => void;
}

/** What is shown of a list that is sorted by what matters; the words by which tenants are `searched` stand in the address. */
export function useMany<T>(list: T[], name: (one: T) => string, searched = true): Many<T> {
  const [all, setAll] = useState(false);
  const words = useRoute().query.find ?? "";
  const found = searched ? matching(list, name, words) : list;
  const shown = all || found.length <= FIRST + 1 ? found : found.slice(0, FIRST);
  return { shown, rest: found.length - shown.length, all, setAll };
}

/** Asks for names; of a few tenants nobody need search one. */
export function Search({ of }: { of: number }) {
  const words = useRoute().query.find ?? "";
  if (of <= FEW && !words) return null;
  return (
    <label class="search">
      <span class="sr">Find tenants by name</span>
      <input type="search" id="find" value={words} maxLength={200} placeholder={`find among ${of} tenants ( / )`} onInput={(event) => put({ find: event.currentTarget.value || undefined })} onKeyDown={(event) => { if (event.key === "Enter") event.preventDefault(); }} />
    </label>
  );
}

export function Rest({ many, one }: { many: Many<unknown>; one: string }) {
  if (many.rest > 0) return <button type="button" class="rest" onClick={() => many.setAll(true)}>Show {many.rest} more {one}</button>;
  if (many.all && many.shown.length > FIRST + 1) return <button type="button" class="rest" onClick={() => many.setAll(false)}>Show fewer</button>;
  return many.shown.length === 0 ? <p class="quiet">No tenant has a name with these words.</p> : null;
}
