// SPDX-License-Identifier: MIT
// The records of the reference service's answers. Times are RFC 3339 text in UTC.

import type { Json } from "./expressions.js";

export interface Click {
  readonly id: string;
  readonly timestamp: string;
  readonly url: string;
  readonly country: string;
  readonly city: string;
  readonly region: string;
  readonly continent: string;
  readonly device: string;
  readonly browser: string;
  readonly os: string;
  readonly trigger?: "qr" | "link" | "pageview" | null;
  readonly referer: string;
  readonly refererUrl: string;
  readonly qr: boolean;
  readonly ip: string;
}

export interface Tag {
  readonly id: string;
  readonly name: string;
  readonly color?: "red" | "yellow" | "green" | "blue" | "purple" | "brown" | "gray" | "pink";
}

export interface Customer {
  readonly id: string;
  readonly externalId: string;
  readonly name?: string | null;
  readonly email?: string | null;
  readonly avatar?: string | null;
  readonly country?: string | null;
  readonly createdAt: string;
}

export interface Link {
  readonly id: string;
  readonly domain: string;
  readonly key: string;
  readonly url: string;
  readonly trackConversion: boolean;
  readonly externalId: string | null;
  readonly tenantId: string | null;
  readonly programId: string | null;
  readonly partnerId: string | null;
  readonly archived: boolean;
  readonly expiresAt: string;
  readonly expiredUrl: string | null;
  readonly disabledAt: string;
  readonly password: string | null;
  readonly proxy: boolean;
  readonly title: string | null;
  readonly description: string | null;
  readonly image: string | null;
  readonly video: string | null;
  readonly rewrite: boolean;
  readonly doIndex: boolean;
  readonly ios: string | null;
  readonly android: string | null;
  readonly geo: Readonly<Record<string, string>> | null;
  readonly publicStats: boolean;
  readonly tags: readonly Tag[] | null;
  readonly folderId: string | null;
  readonly webhookIds: readonly string[];
  readonly comments: string | null;
  readonly shortLink: string;
  readonly qrCode: string;
  readonly utm_source: string | null;
  readonly utm_medium: string | null;
  readonly utm_campaign: string | null;
  readonly utm_term: string | null;
  readonly utm_content: string | null;
  readonly testVariants?: readonly { readonly url: string; readonly percentage: number }[] | null;
  readonly testStartedAt: string;
  readonly testCompletedAt: string;
  readonly userId: string | null;
  readonly workspaceId: string;
  readonly clicks: number;
  readonly leads: number;
  readonly conversions: number;
  readonly sales: number;
  readonly saleAmount: number;
  readonly lastClicked: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly tagId: string | null;
  /** @deprecated use workspaceId */
  readonly projectId: string;
}

/** Fields of all events that duplicate those of `click` and `link`. */
interface Twins {
  /** @deprecated use click.id */
  readonly click_id: string;
  /** @deprecated use link.id */
  readonly link_id: string;
  /** @deprecated use link.domain */
  readonly domain: string;
  /** @deprecated use link.key */
  readonly key: string;
  /** @deprecated use click.url */
  readonly url: string;
  /** @deprecated use click.continent */
  readonly continent: string;
  /** @deprecated use click.country */
  readonly country: string;
  /** @deprecated use click.city */
  readonly city: string;
  /** @deprecated use click.device */
  readonly device: string;
  /** @deprecated use click.browser */
  readonly browser: string;
  /** @deprecated use click.os */
  readonly os: string;
  /** @deprecated use click.qr */
  readonly qr: number;
  /** @deprecated use click.ip */
  readonly ip: string;
}

export interface ClickEvent extends Twins {
  readonly event: "click";
  readonly timestamp: string;
  readonly click: Click;
  readonly link: Link;
}

export interface LeadEvent extends Twins {
  readonly event: "lead";
  readonly timestamp: string;
  readonly eventId: string;
  readonly eventName: string;
  readonly metadata: Json;
  readonly click: Click;
  readonly link: Link;
  readonly customer: Customer;
}

export interface SaleEvent extends Twins {
  readonly event: "sale";
  readonly timestamp: string;
  readonly eventId: string;
  readonly eventName: string;
  readonly sale: {
    /** In cents. */
    readonly amount: number;
    readonly invoiceId: string | null;
    readonly paymentProcessor: string;
    readonly currency: string;
  };
  readonly metadata: Json;
  readonly link: Link;
  readonly click: Click;
  readonly customer: Customer;
  /** @deprecated use sale.amount */
  readonly saleAmount: number;
  /** @deprecated use sale.invoiceId */
  readonly invoice_id: string | null;
  /** @deprecated use sale.paymentProcessor */
  readonly payment_processor: string;
}

/** The record of each kind of event, by the value of the parameter `event`. */
export interface EventRecords {
  readonly clicks: ClickEvent;
  readonly leads: LeadEvent;
  readonly sales: SaleEvent;
}
