// SPDX-License-Identifier: MIT
// The parameters of a list of orders; loads the module once.
import { decimal, defineParams, filter, load, page } from "@sluice/sluice";

export const orders = load().then(() =>
  defineParams({
    status: filter({ choices: ["open", "paid", "void"] }),
    total: decimal({ operators: [">="] }),
    page: page({ default: 20 }),
  }),
);
