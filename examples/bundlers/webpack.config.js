// SPDX-License-Identifier: MIT
// webpack. It finds sluice.wasm by the package's `new URL("./sluice.wasm", import.meta.url)`.
export default {
  mode: "production",
  entry: "./main.js",
  output: { module: true, filename: "main.js" },
  experiments: { outputModule: true },
};
