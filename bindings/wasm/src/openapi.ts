// SPDX-License-Identifier: MIT
// Made by make_types.py of the OpenAPI document. Times are RFC 3339 text in UTC.

import type { Filter, Json, MetadataQuery } from "./expressions.js";

export interface Tag {
  /** ID of the tag */
  readonly id: string;
  /** name of the tag */
  readonly name: string;
  /** color of the tag */
  readonly color?: "red" | "yellow" | "green" | "blue" | "purple" | "brown" | "gray" | "pink";
}

export interface Customer {
  /** ID of the customer */
  readonly id: string;
  /** your own ID of the customer */
  readonly externalId: string;
  /** name of the customer */
  readonly name: string | null;
  /** mail address of the customer */
  readonly email: string | null;
  /** URL of a picture */
  readonly avatar: string | null;
  /** ISO 3166-1 alpha-2 code */
  readonly country: string | null;
  /** when the customer was made */
  readonly createdAt: string;
}

export interface Click {
  /** ID of the click */
  readonly id: string;
  /** when the link was followed */
  readonly timestamp: string;
  /** where the link led */
  readonly url: string;
  /** ISO 3166-1 alpha-2 code */
  readonly country: string;
  /** name of the city */
  readonly city: string;
  /** ISO 3166-2 code such as US-CA */
  readonly region: string;
  /** code of the continent */
  readonly continent: string;
  /** kind of device */
  readonly device: string;
  /** name of the browser */
  readonly browser: string;
  /** name of the operating system */
  readonly os: string;
  /** what caused the click */
  readonly trigger: "qr" | "link" | "pageview" | null;
  /** host name of the referer */
  readonly referer: string;
  /** URL of the referer */
  readonly refererUrl: string;
  /** whether it came from a QR code */
  readonly qr: boolean;
  /** IP address of the visitor */
  readonly ip: string;
}

export interface TestVariant {
  /** where it leads */
  readonly url: string;
  /** its share, 10 to 90 */
  readonly percentage: number;
}

export interface Link {
  /** ID of the link */
  readonly id: string;
  /** domain of the short link */
  readonly domain: string;
  /** slug of the short link; see make_slug() */
  readonly key: string;
  /** where it leads */
  readonly url: string;
  /** whether leads are tracked */
  readonly trackConversion: boolean;
  /** your own ID of the link */
  readonly externalId: string | null;
  /** ID of the link's tenant */
  readonly tenantId: string | null;
  /** ID of the partner program */
  readonly programId: string | null;
  /** ID of the link's partner */
  readonly partnerId: string | null;
  /** whether it is put away */
  readonly archived: boolean;
  /** when it expires; else empty */
  readonly expiresAt: string;
  /** where it leads from then on */
  readonly expiredUrl: string | null;
  /** since when it is off; else empty */
  readonly disabledAt: string;
  /** password of its visitors */
  readonly password: string | null;
  /** whether previews show the fields below */
  readonly proxy: boolean;
  /** title of the preview */
  readonly title: string | null;
  /** text of the preview */
  readonly description: string | null;
  /** URL of the preview's image */
  readonly image: string | null;
  /** URL of the preview's video */
  readonly video: string | null;
  /** whether the address bar keeps the short link */
  readonly rewrite: boolean;
  /** whether search engines may list it */
  readonly doIndex: boolean;
  /** where it leads on iOS */
  readonly ios: string | null;
  /** where it leads on Android */
  readonly android: string | null;
  /** where it leads by country code */
  readonly geo: Readonly<Record<string, string>> | null;
  /** whether anyone may see its numbers */
  readonly publicStats: boolean;
  /** the link's tags */
  readonly tags: readonly Tag[] | null;
  /** ID of the link's folder */
  readonly folderId: string | null;
  /** IDs of the webhooks it calls */
  readonly webhookIds: readonly string[];
  /** notes of its makers */
  readonly comments: string | null;
  /** URL of the short link */
  readonly shortLink: string;
  /** URL of its QR code */
  readonly qrCode: string;
  /** UTM source of its clicks */
  readonly utm_source: string | null;
  /** UTM medium of its clicks */
  readonly utm_medium: string | null;
  /** UTM campaign */
  readonly utm_campaign: string | null;
  /** UTM term of its clicks */
  readonly utm_term: string | null;
  /** UTM content */
  readonly utm_content: string | null;
  /** 2 to 4 destinations */
  readonly testVariants?: readonly TestVariant[] | null;
  /** else empty */
  readonly testStartedAt: string;
  /** else empty */
  readonly testCompletedAt: string;
  /** ID of its maker */
  readonly userId: string | null;
  /** ID of the workspace */
  readonly workspaceId: string;
  /** how often it was followed */
  readonly clicks: number;
  /** leads that it brought */
  readonly leads: number;
  /** leads that became customers */
  readonly conversions: number;
  /** sales that it brought, recurring ones included */
  readonly sales: number;
  /** their value in cents */
  readonly saleAmount: number;
  /** else empty */
  readonly lastClicked: string;
  /** when it was made */
  readonly createdAt: string;
  /** when it was changed last */
  readonly updatedAt: string;
  /** @deprecated use tags */
  readonly tagId: string | null;
  /** @deprecated use workspaceId */
  readonly projectId: string;
}

export interface LinkGroup {
  /** value of the links */
  readonly domain?: string | null;
  /** value of the links */
  readonly tagId?: string | null;
  /** value of the links */
  readonly userId?: string | null;
  /** value of the links */
  readonly folderId?: string | null;
  /** number of links */
  readonly _count: number;
}

export interface RegisteredDomain {
  /** ID of the registration */
  readonly id: string;
  /** since when it isn't renewed */
  readonly autoRenewalDisabledAt: string | null;
  /** when it was registered */
  readonly createdAt: string;
  /** when it expires */
  readonly expiresAt: string;
  /** price of a renewal */
  readonly renewalFee: number;
}

export interface Domain {
  /** ID of the domain */
  readonly id: string;
  /** name of the domain */
  readonly slug: string;
  /** whether its DNS records lead here */
  readonly verified: boolean;
  /** whether new links have it by default */
  readonly primary: boolean;
  /** whether it is put away */
  readonly archived: boolean;
  /** an example of a destination */
  readonly placeholder: string | null;
  /** where expired links lead */
  readonly expiredUrl: string | null;
  /** where unknown links lead */
  readonly notFoundUrl: string | null;
  /** URL of a picture */
  readonly logo: string | null;
  /** when it was added */
  readonly createdAt: string;
  /** when it was changed last */
  readonly updatedAt: string;
  /** its registration */
  readonly registeredDomain: RegisteredDomain | null;
}

export interface Folder {
  /** ID of the folder */
  readonly id: string;
  /** name of the folder */
  readonly name: string;
  /** what it is for */
  readonly description: string | null;
  /** kind of folder */
  readonly type: "default" | "mega";
  /** what all members may do; null: nothing */
  readonly accessLevel: "write" | "read" | null;
  /** when it was made */
  readonly createdAt: string;
  /** when it was changed last */
  readonly updatedAt: string;
}

export interface Sale {
  /** value in cents */
  readonly amount: number;
  /** ID of the invoice */
  readonly invoiceId: string | null;
  /** who handled the payment */
  readonly paymentProcessor: string;
  /** ISO 4217 code */
  readonly currency: string;
}

export interface ClickEvent {
  readonly event: "click";
  readonly timestamp: string;
  readonly click: Click;
  readonly link: Link;
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

export interface LeadEvent {
  readonly event: "lead";
  readonly timestamp: string;
  /** ID of the event */
  readonly eventId: string;
  /** what happened */
  readonly eventName: string;
  /** any JSON of the sender */
  readonly metadata: Json;
  readonly click: Click;
  readonly link: Link;
  readonly customer: Customer;
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

export interface SaleEvent {
  readonly event: "sale";
  readonly timestamp: string;
  /** ID of the event */
  readonly eventId: string;
  /** what happened */
  readonly eventName: string;
  readonly sale: Sale;
  /** any JSON of the sender */
  readonly metadata: Json;
  readonly link: Link;
  readonly click: Click;
  readonly customer: Customer;
  /** @deprecated use sale.amount */
  readonly saleAmount: number;
  /** @deprecated use sale.invoiceId */
  readonly invoice_id: string;
  /** @deprecated use sale.paymentProcessor */
  readonly payment_processor: string;
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

export interface AnalyticsFolder {
  readonly id: string;
  readonly name: string;
}

export interface AnalyticsPartner {
  readonly id: string;
  readonly name: string;
  readonly image: string | null;
  readonly payoutsEnabledAt: string | null;
  readonly country: string | null;
}

export interface AnalyticsGroup {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly color: string | null;
}

export interface AnalyticsPartnerTag {
  readonly id: string;
  readonly name: string;
}

export interface AnalyticsCount {
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  readonly saleAmount: number;
}

export interface AnalyticsTimeseries {
  /** first instant of the hour, day or month */
  readonly start: string;
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  readonly saleAmount: number;
}

export interface AnalyticsContinents {
  readonly continent: "AF" | "AN" | "AS" | "EU" | "NA" | "OC" | "SA";
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  readonly saleAmount: number;
}

export interface AnalyticsCountries {
  readonly country: string;
  readonly region: "*";
  readonly city: "*";
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  readonly saleAmount: number;
}

export interface AnalyticsRegions {
  readonly country: string;
  readonly region: string;
  readonly city: "*";
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  readonly saleAmount: number;
}

export interface AnalyticsCities {
  readonly country: string;
  readonly region: string;
  readonly city: string;
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  readonly saleAmount: number;
}

export interface AnalyticsDevices {
  readonly device: string;
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  readonly saleAmount: number;
}

export interface AnalyticsBrowsers {
  readonly browser: string;
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  readonly saleAmount: number;
}

export interface AnalyticsOs {
  readonly os: string;
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  readonly saleAmount: number;
}

export interface AnalyticsTriggers {
  readonly trigger: string;
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  readonly saleAmount: number;
}

export interface AnalyticsReferers {
  readonly referer: string;
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  readonly saleAmount: number;
}

export interface AnalyticsRefererUrls {
  readonly refererUrl: string;
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  readonly saleAmount: number;
}

export interface AnalyticsTopLinks {
  /** ID of the link */
  readonly link: string;
  /** ID of the link */
  readonly id: string;
  readonly domain: string;
  readonly key: string;
  readonly shortLink: string;
  readonly url: string;
  readonly createdAt: string;
  readonly title: string | null;
  readonly comments: string | null;
  readonly folderId: string | null;
  readonly partnerId: string | null;
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  readonly saleAmount: number;
}

export interface AnalyticsTopUrls {
  readonly url: string;
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  readonly saleAmount: number;
}

export interface AnalyticsTopDomains {
  readonly domain: string;
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  readonly saleAmount: number;
}

export interface AnalyticsTopFolders {
  readonly folderId: string;
  readonly folder: AnalyticsFolder | null;
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  readonly saleAmount: number;
}

export interface AnalyticsTopLinkTags {
  readonly tagId: string;
  readonly tag: Tag | null;
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  readonly saleAmount: number;
}

export interface AnalyticsTopPartners {
  readonly partnerId: string;
  readonly partner: AnalyticsPartner | null;
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  readonly saleAmount: number;
}

export interface AnalyticsTopGroups {
  readonly groupId: string;
  readonly group: AnalyticsGroup | null;
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  readonly saleAmount: number;
}

export interface AnalyticsTopPartnerTags {
  readonly partnerTagId: string;
  readonly partnerTag: AnalyticsPartnerTag | null;
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  readonly saleAmount: number;
}

export interface AnalyticsUtmSources {
  readonly utm_source: string;
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  readonly saleAmount: number;
}

export interface AnalyticsUtmMediums {
  readonly utm_medium: string;
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  readonly saleAmount: number;
}

export interface AnalyticsUtmCampaigns {
  readonly utm_campaign: string;
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  readonly saleAmount: number;
}

export interface AnalyticsUtmTerms {
  readonly utm_term: string;
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  readonly saleAmount: number;
}

export interface AnalyticsUtmContents {
  readonly utm_content: string;
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  readonly saleAmount: number;
}

export interface ErrorDetail {
  readonly code: "bad_request" | "unauthorized" | "forbidden" | "not_found" | "conflict" | "invite_expired" | "unprocessable_entity" | "rate_limit_exceeded" | "internal_server_error";
  readonly message: string;
  readonly doc_url: string;
}

/** The record of each kind of event, by the value of the parameter `event`. */
export interface EventRecords {
  readonly clicks: ClickEvent;
  readonly leads: LeadEvent;
  readonly sales: SaleEvent;
}

/** The parsed parameters of `GET /events`. */
export type EventsValues = {
  /** the kind of events to list */
  readonly event: "clicks" | "leads" | "sales";
  /** domain of the short link; a value, a list `a,b`, or all but `-a,b` */
  readonly domain: Filter | null;
  /** slug of the short link; needs domain */
  readonly key: string | null;
  /** ID of the short link; a value, a list `a,b`, or all but `-a,b` */
  readonly linkId: Filter | null;
  /** your own ID of the link, after ext_ */
  readonly externalId: string | null;
  /** ID of the link's tenant; a value, a list `a,b`, or all but `-a,b` */
  readonly tenantId: Filter | null;
  /** ID of a tag of the link; a value, a list `a,b`, or all but `-a,b` */
  readonly tagId: Filter | null;
  /** ID of the link's folder; a value, a list `a,b`, or all but `-a,b` */
  readonly folderId: Filter | null;
  /** ID of a tag of the link's partner; a value, a list `a,b`, or all but `-a,b` */
  readonly partnerTagId: Filter | null;
  /** ID of the partner's group; a value, a list `a,b`, or all but `-a,b` */
  readonly groupId: Filter | null;
  /** ID of the link's partner; a value, a list `a,b`, or all but `-a,b` */
  readonly partnerId: Filter | null;
  /** ID of one customer */
  readonly customerId: string | null;
  /** the window, counted back from end; start wins over it */
  readonly interval: "24h" | "7d" | "30d" | "90d" | "1y" | "mtd" | "qtd" | "ytd" | "all";
  /** first moment of the window, inclusive; RFC 3339, a date, epoch time, or words such as `7 days ago` */
  readonly start: Date | null;
  /** last moment of the window, inclusive; RFC 3339, a date, epoch time, or words such as `7 days ago` */
  readonly end: Date;
  /** IANA zone in which days and local times are read */
  readonly timezone: string;
  /** ISO 3166-1 alpha-2 code; expected a 2-letter country code or Unknown; a value, a list `a,b`, or all but `-a,b` */
  readonly country: Filter | null;
  /** name of the city; a value, a list `a,b`, or all but `-a,b` */
  readonly city: Filter | null;
  /** ISO 3166-2 code such as US-CA, or a subdivision of any country such as CA; a value, a list `a,b`, or all but `-a,b` */
  readonly region: Filter | null;
  /** code of the continent; expected AF, AN, AS, EU, NA, OC, SA or Unknown; a value, a list `a,b`, or all but `-a,b` */
  readonly continent: Filter | null;
  /** kind of device; a value, a list `a,b`, or all but `-a,b` */
  readonly device: Filter | null;
  /** name of the browser; a value, a list `a,b`, or all but `-a,b` */
  readonly browser: Filter | null;
  /** name of the operating system; a value, a list `a,b`, or all but `-a,b` */
  readonly os: Filter | null;
  /** what caused the click; expected qr, link or pageview; a value, a list `a,b`, or all but `-a,b` */
  readonly trigger: Filter | null;
  /** host name of the referer; a value, a list `a,b`, or all but `-a,b` */
  readonly referer: Filter | null;
  /** URL of the referer; without ? any query string; a value, a list `a,b`, or all but `-a,b` */
  readonly refererUrl: Filter | null;
  /** destination URL; without ? any query string; a value, a list `a,b`, or all but `-a,b` */
  readonly url: Filter | null;
  /** UTM source of the click; a value, a list `a,b`, or all but `-a,b` */
  readonly utm_source: Filter | null;
  /** UTM medium of the click; a value, a list `a,b`, or all but `-a,b` */
  readonly utm_medium: Filter | null;
  /** UTM campaign of the click; a value, a list `a,b`, or all but `-a,b` */
  readonly utm_campaign: Filter | null;
  /** UTM term of the click; a value, a list `a,b`, or all but `-a,b` */
  readonly utm_term: Filter | null;
  /** UTM content of the click; a value, a list `a,b`, or all but `-a,b` */
  readonly utm_content: Filter | null;
  /** true: root domains only; false: other links only */
  readonly root: boolean | null;
  /** a customer's first sale on a link, or later ones; event=sales only */
  readonly saleType: "new" | "recurring" | null;
  /** metadata expression; event=leads and event=sales only; `metadata['key']:'value'`, AND, OR, NOT */
  readonly query: MetadataQuery | null;
  /** page number from 1 */
  readonly page: number;
  /** events on a page */
  readonly limit: number;
  /** order of the list */
  readonly sortOrder: "asc" | "desc";
  /** field that the list is ordered by */
  readonly sortBy: "timestamp";
  /** @deprecated ID of the link's program */
  readonly programId: string | null;
  /** @deprecated use tagId, which wins over it; a value, a list `a,b`, or all but `-a,b` */
  readonly tagIds: Filter | null;
  /** @deprecated use trigger, which wins over it: true is qr, false is link */
  readonly qr: boolean | null;
  /** @deprecated use sortOrder; asc in either one wins */
  readonly order: "asc" | "desc";
  /** place in the list where the page begins or ends; as the links to other pages have it; not with a page */
  readonly cursor: string | null;
  /** true: X-Total-Count has the number of all events */
  readonly count: boolean;
};

/** The parsed parameters of `GET /tags`. */
export type TagsValues = {
  /** field that the list is ordered by */
  readonly sortBy: "name" | "createdAt";
  /** order of the list */
  readonly sortOrder: "asc" | "desc";
  /** part of the tag's name, in any case */
  readonly search: string | null;
  /** IDs of the tags; a list `a,b`, and/or repeated */
  readonly ids: readonly string[];
  /** page number from 1 */
  readonly page: number;
  /** tags on a page */
  readonly pageSize: number;
  /** place in the list where the page begins or ends; as the links to other pages have it; not with a page */
  readonly cursor: string | null;
  /** true: X-Total-Count has the number of all tags */
  readonly count: boolean;
};
