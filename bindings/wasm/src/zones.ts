// SPDX-License-Identifier: MIT
// The time zones of the host's Intl.

import { LINKS } from "./zone_links.js";

let names: readonly string[] | undefined;
const clocks = new Map<string, Intl.DateTimeFormat>();

/** The formatter of a zone, which returns its date and time of day. */
function clockOf(zone: string): Intl.DateTimeFormat {
  let clock = clocks.get(zone);
  if (!clock) {
    const two = "2-digit";
    clock = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: two,
      day: two,
      hour: two,
      minute: two,
      second: two,
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
    const linked = LINKS.split(" ").filter((name) => !listed.has(name) && isKnown(name));
    names = [...listed, ...linked];
  }
  return names;
}

/** The UTC offset of a zone, given by the index of its name, in seconds. */
export function zoneOffset(place: number, at: number): number {
  const parts = clockOf(zoneNames()[place]!).formatToParts(at * 1000);
  const of = (type: Intl.DateTimeFormatPartTypes) =>
    parts.find((part) => part.type === type)?.value ?? "";
  const year = of("era") === "BC" ? 1 - Number(of("year")) : Number(of("year"));
  const shown = new Date(0);
  shown.setUTCFullYear(year, Number(of("month")) - 1, Number(of("day")));
  shown.setUTCHours(Number(of("hour")), Number(of("minute")), Number(of("second")));
  return shown.getTime() / 1000 - at;
}
