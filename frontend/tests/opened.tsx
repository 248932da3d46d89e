// The whole page at an address, over a server that has these answers, and lives, but sends no news.

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

/** Gives signs of life: after five seconds without one, as many as a busy machine may take, a page offers nothing. */
class Living extends Silent {
  private timer: ReturnType<typeof setInterval> | undefined;
  override addEventListener(name?: string, hear?: () => void): void { if (name === "life") this.timer = setInterval(hear!, 500); }
  override close(): void { clearInterval(this.timer); }
}

export function openedAt(hash: string, answers: Record<string, unknown>) {
  location.hash = hash;
  const server = serving({ "/api/session": { role: "operate", tokens_required: false, version: "0" }, "/api/acts": [], "/api/remedies": found(), ...answers });
  vi.stubGlobal("fetch", server.fetch);
  vi.stubGlobal("EventSource", Living);
  render(<App />);
  return server;
}
