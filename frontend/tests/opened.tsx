// The whole page at an address, over a server that has these answers, and sends no news.

import { render } from "@testing-library/preact";
import { vi } from "vitest";
import { App } from "../src/app";
import { found, serving } from "./builders";

export class Silent {
  onopen = null;
  onerror = null;
  readyState = 1;
  addEventListener(): void {}
  close(): void {}
}

export function openedAt(hash: string, answers: Record<string, unknown>) {
  location.hash = hash;
  const server = serving({ "/api/session": { role: "operate", tokens_required: false, version: "0" }, "/api/acts": [], "/api/remedies": found(), ...answers });
  vi.stubGlobal("fetch", server.fetch);
  vi.stubGlobal("EventSource", Silent);
  render(<App />);
  return server;
}
