/** Options of an engine by release: `catalog/engine-releases/<engine>.json`. */
import { compareVersions } from "../names/versions";

/** Inclusive. @default all releases read */
export interface ReleaseSpan {
  readonly since?: string;
  readonly until?: string;
}

/** An option or value in a span of releases; one row per span. */
export interface ReleaseOption extends ReleaseSpan {
  readonly name: string;
}

/** Model classes, as `architectures` of a config.json names them, by release. */
export interface ReleaseClasses {
  readonly about: string;
  readonly source: string;
  readonly asOf: string;
  /** First release that maps name endings: of generating models, of others. */
  readonly since: string;
  readonly generating: readonly string[];
  readonly pooling: readonly string[];
  readonly own: readonly ReleaseOption[];
  /** Run by Transformers without a class of the engine's own; untested. */
  readonly ofTransformers: readonly ReleaseOption[];
}

/** What the releases of an engine take, as read from each one's own parser. */
export interface EngineReleases {
  readonly about: string;
  readonly engine: string;
  readonly source: string;
  readonly asOf: string;
  /** All that were read, oldest first. */
  readonly releases: readonly string[];
  /** Flags without dashes, aliases included. */
  readonly arguments: readonly ReleaseOption[];
  readonly environment: readonly ReleaseOption[];
  /** What an argument takes, where releases differ in it. */
  readonly values?: Readonly<Record<string, readonly ReleaseOption[]>>;
  /** @default not recorded */
  readonly classes?: ReleaseClasses;
}

/** Newer releases count as the newest one read. */
export function isWithin({ since, until }: ReleaseSpan, version: string): boolean {
  return (
    (since === undefined || compareVersions(version, since) >= 0) &&
    (until === undefined || compareVersions(version, until) <= 0)
  );
}

/** Whether a release has an option or value of this name. */
export function releaseHas(rows: readonly ReleaseOption[], name: string, version: string): boolean {
  return rows.some((row) => row.name === name && isWithin(row, version));
}

/** Whether a release is none newer than those that were read. */
export function isRead({ releases }: Pick<EngineReleases, "releases">, version: string): boolean {
  const newest = releases.at(-1);
  return newest !== undefined && isWithin({ until: newest }, version);
}

/** Names that a release has. */
export function namesOf(rows: readonly ReleaseOption[], version: string): string[] {
  return rows.filter((row) => isWithin(row, version)).map(({ name }) => name);
}

/** From the first to the last release with this name; undefined where no release has it. */
export function spanOf(rows: readonly ReleaseOption[], name: string): ReleaseSpan | undefined {
  const spans = rows.filter((row) => row.name === name);
  const [first] = spans;
  const last = spans.at(-1);
  return (
    first &&
    last && {
      ...(first.since !== undefined && { since: first.since }),
      ...(last.until !== undefined && { until: last.until }),
    }
  );
}

/** `0.10.1 or newer`, `0.8.2 to 0.12.0`, `0.12.0 or older`. */
export function spanText({ since, until }: ReleaseSpan): string {
  if (since === undefined) {
    return until === undefined ? "any release" : `${until} or older`;
  }
  return until === undefined ? `${since} or newer` : `${since} to ${until}`;
}
