import { fireEvent, render, screen } from "@testing-library/preact";
import { expect, test, vi } from "vitest";
import { StartNow } from "../src/starting";
import { anOverview, aTenant, inside, run, serving } from "./builders";

const DOWN = aTenant({ trouble: "not running", why: "not running: no topic; tried 7 times" });
const over = { ...anOverview(), control: { ...anOverview().control, live: false } };

function shown(tenant = DOWN, more = {}, answers: Record<string, unknown> = { "/api/control": {} }) {
  const server = serving(answers);
  vi.stubGlobal("fetch", server.fetch);
  render(inside(<StartNow tenant={tenant} />, more));
  return server;
}

test("a job that does not run is asked to start now, by name, and that is said", async () => {
  localStorage.setItem("penstock-name", "ann");
  const server = shown();
  fireEvent.click(screen.getByRole("button", { name: "Start now" }));
  expect((await screen.findByRole("status")).textContent).toMatch(/heard at the start of the next cycle/);
  expect(server.sent.at(-1)).toEqual({ path: "/api/control?run=demo-1", body: { act: "start", job: "ads", who: "ann" } });
  localStorage.clear();
});

test.each(["given up", "stopped"] as const)("so is one that is %s", (trouble) => {
  shown(aTenant({ trouble }));
  expect(screen.getByRole("button", { name: "Start now" })).toBeTruthy();
});

test.each([null, "ended", "no rows", "other"] as const)("one whose trouble is %s is not: a start would do nothing", (trouble) => {
  shown(aTenant({ trouble }));
  expect(screen.queryByRole("button")).toBeNull();
});

test.each([
  ["who may only read", { session: { role: "read" as const, tokens_required: true, version: "0" } }],
  ["a run that is over", { overview: over }],
  ["the run of a coordinator, which starts nobody's queries,", { overview: { ...anOverview(), run: { ...run, engine: "fleet" } } }],
])("%s has no such button", (_, more) => {
  shown(DOWN, more);
  expect(screen.queryByRole("button")).toBeNull();
});

test("a server that is gone is asked for nothing, and what it refuses is said", async () => {
  shown(DOWN, {}, {});
  fireEvent.click(screen.getByRole("button", { name: "Start now" }));
  await screen.findByText("there is no such thing");
  expect(screen.queryByRole("status")).toBeNull();
  render(inside(<StartNow tenant={DOWN} />, { gone: true }));
  expect((screen.getAllByRole("button", { name: "Start now" }).at(-1) as HTMLButtonElement).disabled).toBe(true);
});
