// SPDX-License-Identifier: MIT
// vite build. Vite's development server would move the package away from its sluice.wasm.
export default {
  optimizeDeps: { exclude: ["@sluice/sluice"] },
  build: { target: "es2022" },
};
