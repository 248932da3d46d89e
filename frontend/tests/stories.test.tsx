import { render, screen } from "@testing-library/preact";
import { expect, test } from "vitest";
import type { State } from "../src/api";
import Stories, { STORIES } from "../src/stories";

const STATES: State[] = ["missing", "blind", "stale", "starting", "fine"];

test("each state of a tenant has its story, and each story its chart with words for those who cannot see it", () => {
  render(<Stories />);
  expect(STATES.filter((state) => !STORIES.some((story) => story.state === state))).toEqual([]);
  const told = screen.getAllByRole("img").map((chart) => chart.getAttribute("aria-label"));
  expect(told.length).toBe(STORIES.length);
  expect(told[STORIES.findIndex((story) => story.name === "empty")]).toContain("p95: no figures");
  expect(told[STORIES.findIndex((story) => story.name === "missing")]).toContain("3 decisions are marked. 1 acts of people");
});

test("nothing can be saved of an empty chart", () => {
  render(<Stories />);
  expect(screen.getAllByRole("button", { name: /^Save picture/ }).length).toBe(STORIES.length - 1);
});
