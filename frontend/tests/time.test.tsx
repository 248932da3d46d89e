import { fireEvent, render, screen } from "@testing-library/preact";
import { expect, test, vi } from "vitest";
import { fromInput, toInput } from "../src/format";
import { rowsOf } from "../src/picture";
import { colour, show } from "../src/theme";
import { TimeShown } from "../src/time";
import { anOverview, inside, run } from "./builders";

test("any part of a run is shown by its two ends, without a mouse", () => {
  const setZoom = vi.fn();
  render(inside(<TimeShown />, { setZoom }));
  fireEvent.click(screen.getByRole("button", { name: "from … to" }));
  const [from, to] = [screen.getByLabelText<HTMLInputElement>("from"), screen.getByLabelText<HTMLInputElement>("to")];
  expect([from.value, to.value]).toEqual(["0:00:00", "0:00:40"]);
  fireEvent.input(from, { target: { value: "0:00:10" } });
  fireEvent.click(screen.getByRole("button", { name: "Show" }));
  expect(setZoom).toHaveBeenCalledWith([10, 40]);
});

test.each([["0:01:00", "The end has to be after the beginning."], ["soon", "Give hours, minutes and seconds, such as 0:12:30."]])("%s is no beginning of it, and that is said", (text, said) => {
  const setZoom = vi.fn();
  render(inside(<TimeShown />, { setZoom }));
  fireEvent.click(screen.getByRole("button", { name: "from … to" }));
  fireEvent.input(screen.getByLabelText("from"), { target: { value: text } });
  fireEvent.click(screen.getByRole("button", { name: "Show" }));
  expect(screen.getByRole("alert").textContent).toBe(said);
  expect(setZoom).not.toHaveBeenCalled();
});

test("a run with a date is asked for in local time, one without since its beginning", () => {
  const dated = { started_at: new Date(2026, 10, 23, 9, 5, 7).getTime() / 1000 };
  expect(toInput(dated, 60)).toBe("2026-11-23T09:06:07");
  expect(fromInput(dated, "2026-11-23T09:06:07")).toBe(60);
  expect(fromInput(dated, "")).toBeNull();
  expect([toInput(run, 750), fromInput(run, "0:12:30"), fromInput(run, "12:30"), fromInput(run, "1:2:3:4")]).toEqual(["0:12:30", 750, 750, null]);
});

test("a zoom is told with its length and left by a button", () => {
  const setZoom = vi.fn();
  render(inside(<TimeShown />, { setZoom, zoom: [10, 25], overview: anOverview() }));
  fireEvent.click(screen.getByRole("button", { name: "zoomed: 15 s ✕" }));
  expect(setZoom).toHaveBeenCalledWith(null);
});

test("in a picture no key of the legend is cut: they go on in the next row", () => {
  expect(rowsOf([40, 40, 40], 100)).toEqual([[0, 1], [2]]);
  expect(rowsOf([400, 40], 100)).toEqual([[0], [1]]); // what is too long for any row stands alone
  expect(rowsOf([], 100)).toEqual([]);
});

test("on paper the colours are those for light, and afterwards what they were", () => {
  localStorage.setItem("penstock-theme", "dark");
  show();
  const theme = (): string | undefined => document.documentElement.dataset.theme;
  expect(theme()).toBe("dark");
  document.documentElement.style.setProperty("--ink", "#111111");
  colour("ink");
  dispatchEvent(new Event("beforeprint"));
  expect(theme()).toBe("light");
  document.documentElement.style.setProperty("--ink", "#222222");
  dispatchEvent(new Event("afterprint"));
  expect(theme()).toBe("dark");
  expect(colour("ink")).toBe("#222222"); // no ink is kept from before
  localStorage.clear();
});
