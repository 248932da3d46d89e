import { defineConfig } from "vitest/config";

// Components in a small document of their own, without a browser: what they say and what they ask for.
export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: { environment: "happy-dom", include: ["tests/**/*.test.{ts,tsx}"], setupFiles: ["tests/setup.ts"], testTimeout: 120_000 },
});
