import { fireEvent, screen, waitFor, within } from "@testing-library/preact";
import { expect, test, vi } from "vitest";
import type { Decisions, Overview } from "../src/api";
import { aDecision, anOverview, aPresent, aTenant, run } from "./builders";
import { openedAt } from "./opened";

const DECISIONS: Decisions = { total: 1, reasons: ["Reconfigured"], jobs: ["ads", "geo"], decisions: [aDecision()] };
const many = Array.from({ length: 40 }, (_, number) => aTenant({ name: `tenant-${String(number).padStart(2, "0")}`, state: "fine", met: true }));

function opened(hash: string, overview: Overview = anOverview({ present: aPresent() }), answers: Record<string, unknown> = {}) {
  const own = { "/api/overview": overview, "/api/runs": [run], "/api/audit": [], "/api/worth": {}, "/api/policies": [], "/api/decisions": DECISIONS };
  return openedAt(hash, { ...own, ...answers });
}

test("what decisions are looked for by stands in the address, and another address looks for others", async () => {
  const server = opened("#/decisions?words=latency&came=better");
  await screen.findByTestId("total");
  expect(screen.getByLabelText<HTMLInputElement>("Words").value).toBe("latency");
  expect(server.sent.some((one) => one.path === "/api/decisions?run=demo-1&words=latency&came=better&limit=50")).toBe(true);
  fireEvent.change(screen.getByLabelText("Tenant"), { target: { value: "geo" } });
  await waitFor(() => expect(location.hash).toBe("#/decisions?words=latency&came=better&job=geo"));
  location.hash = "#/decisions?job=ads";
  await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>("Words").value).toBe(""));
  expect(screen.getByLabelText<HTMLSelectElement>("Tenant").value).toBe("ads");
});

test("another address on the same page asks another what-if", async () => {
  opened(`#/what-if?ask=${encodeURIComponent('{"slots":12}')}`);
  const slots = (): string => screen.getByLabelText<HTMLInputElement>("Slots").value;
  await screen.findByLabelText("Slots");
  expect(slots()).toBe("12");
  location.hash = `#/what-if?ask=${encodeURIComponent('{"slots":16}')}`;
  await waitFor(() => expect(slots()).toBe("16"));
});

test("of forty tenants a what-if shows those it is asked about and the first, any by its name, and asks about all", async () => {
  const asked = encodeURIComponent('{"rates":{"tenant-39":2}}');
  const server = opened(`#/what-if?ask=${asked}`, anOverview({ present: aPresent({ tenants: many }) }));
  const rows = (): (string | null)[] => [...document.querySelectorAll(".changes tbody th")].map((row) => row.textContent);
  await screen.findByLabelText("Slots");
  expect(rows().length).toBe(15);
  expect(rows()[0]).toBe("tenant-39");
  fireEvent.input(screen.getByRole("searchbox", { name: "Find tenants by name" }), { target: { value: "tenant-2" } });
  await waitFor(() => expect(rows().length).toBe(10));
  fireEvent.input(screen.getByLabelText("Rate of tenant-21, times"), { target: { value: "3" } });
  fireEvent.click(screen.getByTestId("ask"));
  await waitFor(() => expect(server.sent.find((one) => one.path.startsWith("/api/what-if"))?.body).toMatchObject({ rates: { "tenant-39": 2, "tenant-21": 3 } }));
});

test("of two runs with forty tenants those come first who did most differently", async () => {
  const side = { run, length_s: 60, utility_share: 0.5, met_share: 0.5, decisions: 0, helped: 0, series: { at_s: [0, 10], values: { share: [0.5, 0.5] } } };
  const jobs = many.map(({ name }, place) => ({ name, asks_a: "x", asks_b: "x", utility_a: 0.5, utility_b: 0.5 + place / 100, met_a: 1, met_b: 1 }));
  opened("#/compare?a=demo-1&b=demo-1", undefined, { "/api/compare": { a: side, b: side, jobs, sentences: [] } });
  const table = within(await screen.findByRole("table"));
  expect(table.getAllByRole("row").length).toBe(16);
  expect(table.getAllByRole("row")[1]!.textContent).toContain("tenant-39");
  fireEvent.click(screen.getByRole("button", { name: "Show 25 more tenants" }));
  expect(table.getAllByRole("row").length).toBe(41);
});

test("the link that is copied names the run, and says that it was copied", async () => {
  const writeText = vi.fn(() => Promise.resolve());
  vi.stubGlobal("navigator", { clipboard: { writeText } });
  opened("#/overview?run=last&from=10&to=20");
  await screen.findByTestId("headline");
  fireEvent.keyDown(document.body, { key: "c" });
  await screen.findByRole("button", { name: "Copied" });
  expect(writeText).toHaveBeenCalledWith(expect.stringContaining("#/overview?run=demo-1&from=10&to=20"));
});

test("a key tells what all figures mean, and one that leads elsewhere closes the sheet", async () => {
  opened("#/overview");
  await screen.findByTestId("headline");
  fireEvent.keyDown(document.body, { key: "f" });
  expect((await screen.findByRole("dialog", { name: "What the figures mean" })).textContent).toContain("The cores that its tasks kept busy");
  fireEvent.keyDown(document.body, { key: "5" });
  await screen.findByRole("heading", { name: "Decisions" });
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("a tenant is looked for from any page: the overview has the field", async () => {
  opened("#/decisions", anOverview({ present: aPresent({ tenants: many }) }));
  await screen.findByTestId("total");
  fireEvent.keyDown(document.body, { key: "/" });
  await waitFor(() => expect(document.activeElement?.id).toBe("find"));
  expect(location.hash).toContain("#/overview");
});
