/** IANA spelling by lower case: Go programs look for a file of exactly that name. */
const WRITTEN: ReadonlyMap<string, string> = new Map(
  Intl.supportedValuesOf("timeZone").map((name) => [name.toLowerCase(), name]),
);

/** IANA spelling, which Go programs read. */
export function isTimeZone(name: string): boolean {
  if (name === "UTC") {
    return true;
  }
  if (!/^[A-Z][A-Za-z]+(\/[A-Za-z0-9_+-]+)+$/.test(name)) {
    return false;
  }
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    // Older names of zones are not in the list.
    return (WRITTEN.get(name.toLowerCase()) ?? name) === name;
  } catch {
    return false;
  }
}

/** Local time minus UTC in minutes, between two minutes since 1970. */
export interface ZoneOffset {
  readonly from: number;
  readonly until: number;
  readonly offset: number;
}

/** Sampling interval, minutes: below the shortest offset period, Ramadan in Morocco. */
const LOOK = 28 * 1440;
const known = new Map<string, readonly ZoneOffset[]>();

/** Minutes since 1970, ordered and without gaps. */
export function zoneOffsets(zone: string, from: number, until: number): readonly ZoneOffset[] {
  const key = `${zone} ${from} ${until}`;
  const offsets = known.get(key) ?? findOffsets(zone, from, until);
  known.set(key, offsets);
  return offsets;
}

function findOffsets(zone: string, from: number, until: number): ZoneOffset[] {
  if (zone === "UTC") {
    return [{ from, until, offset: 0 }];
  }
  const at = offsetReader(zone);
  const found: ZoneOffset[] = [];
  let start = from;
  let offset = at(from);
  for (let last = from; last < until; last = Math.min(until, last + LOOK)) {
    let after = Math.min(until, last + LOOK);
    if (at(after) !== offset) {
      let before = last;
      while (after - before > 1) {
        const middle = Math.floor((before + after) / 2);
        [before, after] = at(middle) === offset ? [middle, after] : [before, middle];
      }
      found.push({ from: start, until: after, offset });
      [start, offset] = [after, at(after)];
    }
  }
  return [...found, { from: start, until, offset }];
}

/** Of `GMT`, `GMT+05:30` and `GMT-03:00`. */
const OFFSET = /GMT(?:([+-])(\d\d):(\d\d))?/;

function offsetReader(zone: string): (minute: number) => number {
  const format = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" });
  return (minute) => {
    const [, sign, hours = "0", minutes = "0"] = OFFSET.exec(format.format(minute * 60_000)) ?? [];
    return (sign === "-" ? -1 : 1) * (60 * Number(hours) + Number(minutes));
  };
}
