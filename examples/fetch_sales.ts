// SPDX-License-Identifier: MIT
// Fetches all sales of a week, page by page.
import { ApiError, fetchEvents } from "@sluice/sluice";

export async function total(service: string, token: string): Promise<number> {
  let cents = 0;
  try {
    const query = { event: "sales", country: ["US", "CA"], interval: "7d" } as const;
    for await (const { sale } of fetchEvents(service, query, { token })) cents += sale.amount;
  } catch (error) {
    if (error instanceof ApiError) console.error(error.status, error.message);
    throw error;
  }
  return cents;
}
