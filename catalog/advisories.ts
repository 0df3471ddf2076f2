import { compareVersions } from "../names/versions";
import table from "./advisories.json";
import { dayIn } from "./pins";

export const SEVERITIES = ["critical", "high", "medium", "low"] as const;

/** A published vulnerability, or a fault of the same weight. */
export interface Advisory {
  /** The name that it is best known by first. */
  readonly ids: readonly string[];
  /** As in pins.json. */
  readonly part: string;
  /** Ranges of affected versions: the first one, and the first one that is fixed. */
  readonly affected: readonly { readonly from?: string; readonly before?: string }[];
  /** Undefined: its source has none. */
  readonly severity?: (typeof SEVERITIES)[number];
  readonly what?: string;
  /** Why nothing that the platform installs by default meets it. */
  readonly notMet?: string;
  /** The maker's own page. */
  readonly url: string;
  /** What was read. @default url */
  readonly source?: string;
  readonly readOn: string;
}

/** One that a version has. */
export interface KnownAdvisory extends Advisory {
  /** The first fixed version of its line; undefined: there is none. */
  readonly fixedIn: string | undefined;
}

// Checked against catalog/schema by test/catalog.
export const advisories = table.advisories as readonly Advisory[];

/**
 * Of a tag (`distroless-v1.39.6`, `v20260714`, `2.56.0-py312-cu130`), the release's. Undefined
 * without numbers, such as for commits.
 */
export function releaseNumbers(version: string): string | undefined {
  const day = dayIn(version);
  return day === undefined
    ? /(?<![\w.])v?(?<numbers>\d+(?:\.\d+)+)/.exec(version)?.groups?.numbers
    : Object.values(day).join(".");
}

/** A version for people, of a tag that says more. */
export function releaseName(version: string): string {
  return dayIn(version) === undefined ? (releaseNumbers(version) ?? version) : version;
}

/** As `compareVersions`, for tags; a name without numbers is the newest. */
export function compareReleases(a: string, b: string): number {
  return compareVersions(releaseNumbers(a) ?? a, releaseNumbers(b) ?? b);
}

/** The published vulnerabilities of a part in one version, as tags and releases are written. */
export function advisoriesOf(part: string, version: string): KnownAdvisory[] {
  if (releaseNumbers(version) === undefined) {
    return [];
  }
  const isBelow = (limit: string) => compareReleases(version, limit) < 0;
  return advisories.flatMap((advisory) => {
    const span = advisory.affected.find(
      ({ from, before }) => (from === undefined || !isBelow(from)) && (before === undefined || isBelow(before)),
    );
    return advisory.part === part && span !== undefined ? [{ ...advisory, fixedIn: span.before }] : [];
  });
}
