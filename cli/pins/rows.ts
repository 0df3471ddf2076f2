/** Catalogue rows of `npm run pins`, for tables and `--json`. */
import { releaseName } from "../../catalog/advisories";
import { areMet, type KnownOf, knownVulnerabilities } from "../../catalog/known-vulnerabilities";
import {
  isOnPublicPath,
  type OptIn,
  optInOf,
  type Pin,
  type PinnedPart,
  pinnedParts,
  pinsOf,
} from "../../catalog/pins";

/**
 * `vulnerable` exits with 1. `opt-in`: vulnerable, never by default. `not met`: no default
 * installation is affected.
 */
export type PinState = "vulnerable" | "opt-in" | "not met" | "unread" | "none known";

/** Pins of a part with the same release and exposure. */
export interface PinRow extends Pick<PinnedPart, "part" | "exposure"> {
  readonly version: string;
  readonly pins: readonly Pick<Pin, "kind" | "name" | "version">[];
  /** Undefined without a source; the oldest of several. */
  readonly released: { readonly on: string; readonly ageDays: number } | undefined;
  /** Oldest day one was read for the catalogue: a lower bound of the release's age. */
  readonly readOn: string;
  readonly advisories: (PinnedPart["advisories"] & { readonly ageDays: number }) | undefined;
  /** Why they were not read. */
  readonly unread: string | undefined;
  readonly optIn: Omit<OptIn, "image"> | undefined;
  readonly known: readonly KnownOf[];
  readonly state: PinState;
}

const DAY_MS = 86_400_000;

/**
 * @param today base of ages.
 * @param pinsOfPart the catalogue's pins.
 */
export function pinRows(
  today: Date,
  parts: readonly PinnedPart[] = pinnedParts,
  pinsOfPart: (part: PinnedPart) => readonly Pin[] = pinsOf,
): PinRow[] {
  const ageDays = (day: string) => Math.max(0, Math.floor((today.getTime() - Date.parse(day)) / DAY_MS));
  return parts.flatMap((part) => {
    const rows = new Map<string, Pin[]>();
    for (const pin of pinsOfPart(part)) {
      const key = optInOf(pin) === undefined ? releaseName(pin.version) : pin.name;
      rows.set(key, [...(rows.get(key) ?? []), pin]);
    }
    return [...rows.values()].map((pins): PinRow => {
      const [first] = pins;
      if (first === undefined) {
        throw new Error(`no pin in a row of ${part.part}`);
      }
      const version = releaseName(first.version);
      const releasedOn = part.released?.[version] ?? oldest(pins.flatMap((pin) => pin.releasedOn ?? []));
      const { by, why } = optInOf(first) ?? {};
      const optIn = by === undefined || why === undefined ? undefined : { by, why };
      const known = knownVulnerabilities(part.part, first);
      const { advisories, unread } = part;
      return {
        part: part.part,
        exposure: part.exposure,
        version,
        pins: pins.map(({ kind, name, version }) => ({ kind, name, version })),
        released: releasedOn === undefined ? undefined : { on: releasedOn, ageDays: ageDays(releasedOn) },
        readOn: oldest(pins.map(({ readOn }) => readOn)) ?? first.readOn,
        advisories: advisories && { ...advisories, ageDays: ageDays(advisories.until ?? advisories.readOn) },
        unread,
        optIn,
        known: known.filter((of) => of.known.length > 0),
        state: stateOf(known, optIn !== undefined, advisories === undefined),
      };
    });
  });
}

function oldest(days: readonly string[]): string | undefined {
  return [...days].sort()[0];
}

function stateOf(known: readonly KnownOf[], isOptIn: boolean, isUnread: boolean): PinState {
  if (known.some((of) => areMet(of.known).length > 0)) {
    return isOptIn ? "opt-in" : "vulnerable";
  }
  if (isUnread || known.some(({ version }) => version === undefined)) {
    return "unread";
  }
  return known.some((of) => of.known.length > 0) ? "not met" : "none known";
}

export function failing(rows: readonly PinRow[]): PinRow[] {
  return rows.filter((row) => row.state === "vulnerable" && isOnPublicPath(row));
}
