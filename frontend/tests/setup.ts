import { cleanup, configure } from "@testing-library/preact";
import { afterEach, beforeEach, vi } from "vitest";

configure({ asyncUtilTimeout: 60_000 }); // what comes is waited for, however busy the machine is

beforeEach(() => {
  HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) { this.open = true; };
  localStorage.clear();
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  location.hash = "";
});
