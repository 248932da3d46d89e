import { fireEvent, render, screen, waitFor } from "@testing-library/preact";
import { expect, test, vi } from "vitest";
import { keeping, NextNine, question, Remedy } from "../src/remedy";
import { anOverview, aTenant, found, inside, serving } from "./builders";

function shown(answer: unknown, urgent = true, more = {}) {
  const server = serving({ "/api/remedies": answer, "/api/control": {} });
  vi.stubGlobal("fetch", server.fetch);
  render(inside(<Remedy tenant={aTenant()} urgent={urgent} />, more));
  return server;
}

test("of who is in most trouble the remedy is asked for by itself, of others by a button", async () => {
  const server = shown(found(), false);
  expect(server.sent).toEqual([]);
  fireEvent.click(screen.getByRole("button", { name: "What would help?" }));
  await screen.findByText(/12 slots instead of 8/);
  expect(server.sent[0]!.path).toBe("/api/remedies?run=demo-1&job=ads");
});

test("what the next nine would cost is asked for by a button, and told with the simulator's error", async () => {
  const server = serving({ "/api/remedies": found({ text: "The next nine, p99 latency <= 2s: 12 slots instead of 8 (4 more slots, 0.20 EUR an hour)." }) });
  vi.stubGlobal("fetch", server.fetch);
  render(inside(<NextNine tenant={aTenant()} />));
  expect(server.sent).toEqual([]);
  fireEvent.click(screen.getByRole("button", { name: "What would the next nine cost?" }));
  const told = await screen.findByTestId("next-nine");
  expect(told.textContent).toMatch(/^The next nine, p99 latency ≤ 2s: 12 slots.*0.20 EUR an hour.*off by 3.0 % of its utility/);
  expect(server.sent[0]!.path).toBe("/api/remedies?run=demo-1&job=ads&nine=true");
});

test("it is told with the simulator's error, to be tried and asked for", async () => {
  const server = shown(found());
  await screen.findByText(/off by 3.0 % of its utility/);
  const link = screen.getByRole("link", { name: "Try it in what-if" });
  expect(decodeURIComponent(link.getAttribute("href")!)).toContain('ask={"minutes":5,"slots":12}');
  fireEvent.click(screen.getByRole("button", { name: "Ask for it" }));
  await screen.findByText(/takes effect at the start of the next cycle/);
  expect(server.sent.at(-1)!.body).toMatchObject({ act: "turn", kind: "executors", value: 3, job: null });
});

test("the targets that it would keep are asked for as an intent of the same utility", async () => {
  const server = shown(found());
  fireEvent.click(await screen.findByRole("button", { name: "Ask for p95 latency ≤ 3.4s instead" }));
  await waitFor(() => expect(server.sent.at(-1)!.body).toMatchObject({ act: "intent", job: "ads", intents: [{ latency: 3.4, percentile: 95, utility: 35 }] }));
});

test("who may only read, and a run that is over, are offered the what-if alone", async () => {
  shown(found(), true, { session: { role: "read", tokens_required: true, version: "0" } });
  await screen.findByRole("link", { name: "Try it in what-if" });
  expect(screen.queryByRole("button", { name: "Ask for it" })).toBeNull();
});

test("what cannot be had is said, and can be asked for again", async () => {
  vi.stubGlobal("fetch", serving({}).fetch);
  render(inside(<Remedy tenant={aTenant()} urgent />));
  await screen.findByText("there is no such thing");
  expect(screen.getByRole("button", { name: "What would help?" })).toBeTruthy();
});

test("a limit of the tenants file cannot be asked for, and that is said", async () => {
  const cheapest = { ...found().cheapest!, kind: "limit" as const, ask: null, slots: null, max_slots: { ads: 4 } };
  shown(found({ cheapest, keeps: null }));
  await screen.findByText(/change max_slots there/);
  expect(question(cheapest)).toEqual({ minutes: 5, max_slots: { ads: 4 } });
});

test("nothing is kept of targets that are not those of now", () => {
  expect(keeping(aTenant(), found({ keeps: [3.4, 0.9] }))).toBeNull();
  expect(keeping(aTenant(), found({ keeps: null }))).toBeNull();
});

test("nothing can be asked for while the server is gone", () => {
  render(inside(<Remedy tenant={aTenant()} urgent={false} />, { gone: true, overview: anOverview() }));
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "What would help?" }).disabled).toBe(true);
});
