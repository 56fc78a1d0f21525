// SPDX-License-Identifier: MIT
// next build. The server imports the package from node_modules, where its sluice.wasm is.
export default {
  serverExternalPackages: ["@sluice/sluice"],
};
