// SPDX-License-Identifier: MIT
// The time zones of the host's Intl.

import { LINKS } from "./zone_links.js";

let names: readonly string[] | undefined;
const clocks = new Map<string, Intl.DateTimeFormat>();

/** The formatter of a zone, which returns its date and time of day. */
function clockOf(zone: string): Intl.DateTimeFormat {
  let clock = clocks.get(zone);
  if (!clock) {
    const twoDigits = "2-digit";
    clock = new Intl.DateTimeFormat("en-US", {
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
    clocks.set(zone, clock);
  }
  return clock;
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
  const parts = clockOf(zoneNames()[index]!).formatToParts(seconds * 1000);
  const valueOf = (type: Intl.DateTimeFormatPartTypes) =>
    parts.find((part) => part.type === type)?.value ?? "";
  const year = valueOf("era") === "BC" ? 1 - Number(valueOf("year")) : Number(valueOf("year"));
  const local = new Date(0);
  local.setUTCFullYear(year, Number(valueOf("month")) - 1, Number(valueOf("day")));
  local.setUTCHours(Number(valueOf("hour")), Number(valueOf("minute")), Number(valueOf("second")));
  return local.getTime() / 1000 - seconds;
}
