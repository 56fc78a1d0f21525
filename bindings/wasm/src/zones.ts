// SPDX-License-Identifier: MIT
// The time zones of the host's Intl.

import { LINKS } from "./zone_links.js";

let names: readonly string[] | undefined;

/** A zone of a recent call. */
interface Zone {
  readonly clock: Intl.DateTimeFormat;
  /** Offsets at multiples of SPAN, by the number of the multiple. */
  readonly offsets: Map<number, number>;
}
/** Zones by name, the latest last: few, because formatters are large. */
const zones = new Map<string, Zone>();
const MOST_ZONES = 16;
const MOST_OFFSETS = 256;
/** Seconds within which no zone changes its offset twice; native/zones.cpp relies on it, too. */
const SPAN = 9 * 3600;

function zoneOf(name: string): Zone {
  let zone = zones.get(name);
  if (zone) return zone;
  if (zones.size === MOST_ZONES) zones.delete(zones.keys().next().value!);
  zone = { clock: clockOf(name), offsets: new Map() };
  zones.set(name, zone);
  return zone;
}

/** The formatter of a zone, which returns its date and time of day. */
function clockOf(zone: string): Intl.DateTimeFormat {
  const twoDigits = "2-digit";
  return new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    era: "short",
    year: "numeric",
    month: twoDigits,
    day: twoDigits,
    hour: twoDigits,
    minute: twoDigits,
    second: twoDigits,
  });
}

function isKnown(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** All IANA names that the host supports: those that Intl lists, and their aliases. */
export function zoneNames(): readonly string[] {
  if (!names) {
    const listed = new Set(Intl.supportedValuesOf("timeZone"));
    const aliases = LINKS.split(" ").filter((name) => !listed.has(name) && isKnown(name));
    names = [...listed, ...aliases];
  }
  return names;
}

/** The UTC offset, in seconds, of the zone at an index of zoneNames(), at `seconds` since 1970. */
export function zoneOffset(index: number, seconds: number): number {
  const zone = zoneOf(zoneNames()[index]!);
  const span = Math.floor(seconds / SPAN);
  const offset = offsetBefore(zone, span);
  // Equal at both ends: there is no change between them.
  return offset === offsetBefore(zone, span + 1) ? offset : readOffset(zone.clock, seconds);
}

/** The offset at the beginning of a span. */
function offsetBefore({ clock, offsets }: Zone, span: number): number {
  let offset = offsets.get(span);
  if (offset === undefined) {
    offset = readOffset(clock, span * SPAN);
    if (offsets.size === MOST_OFFSETS) offsets.clear();
    offsets.set(span, offset);
  }
  return offset;
}

/** The offset that a formatter has at a time. */
function readOffset(clock: Intl.DateTimeFormat, seconds: number): number {
  const parts = clock.formatToParts(seconds * 1000);
  const valueOf = (type: Intl.DateTimeFormatPartTypes) =>
    parts.find((part) => part.type === type)?.value ?? "";
  const year = valueOf("era") === "BC" ? 1 - Number(valueOf("year")) : Number(valueOf("year"));
  const local = new Date(0);
  local.setUTCFullYear(year, Number(valueOf("month")) - 1, Number(valueOf("day")));
  local.setUTCHours(Number(valueOf("hour")), Number(valueOf("minute")), Number(valueOf("second")));
  return local.getTime() / 1000 - seconds;
}
