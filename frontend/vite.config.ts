import { defineConfig } from "vite";

// The built pages are committed inside the Python package: a wheel, or a clone without Node, has them.
export default defineConfig({
  base: "./",
  build: {
    outDir: "../src/penstock/web/static",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/api": "http://127.0.0.1:7373" } },
});
