import { advisoriesOf, compareReleases, type KnownAdvisory, releaseName, releaseNumbers } from "./advisories";
import { bundledIn } from "./bundled-engines";
import type { Pin } from "./pins";

/** Of a release, or of an engine in its image. */
export interface KnownOf {
  readonly part: string;
  /** Undefined where the image is not known to bring one. */
  readonly version: string | undefined;
  readonly known: readonly KnownAdvisory[];
}

/** The release's own first, then those of its image. */
export function knownVulnerabilities(
  part: string,
  { kind, name, version }: Pick<Pin, "kind" | "name" | "version">,
): KnownOf[] {
  const bundled = kind === "image" ? bundledIn(name) : undefined;
  const brought = bundled?.releases.find(({ release }) => release === releaseNumbers(version))?.brings;
  return [
    { part, version: releaseName(version), known: advisoriesOf(part, version) },
    ...(bundled === undefined
      ? []
      : [
          {
            part: bundled.part,
            version: brought,
            known: brought === undefined ? [] : advisoriesOf(bundled.part, brought),
          },
        ]),
  ];
}

/** Those that what the platform installs by default meets. */
export function areMet(known: readonly KnownAdvisory[]): KnownAdvisory[] {
  return known.filter(({ notMet }) => notMet === undefined);
}

/** First release that fixes all; undefined if one has no fix. */
export function mendedIn(known: readonly KnownAdvisory[]): string | undefined {
  const fixes = known.flatMap(({ fixedIn }) => fixedIn ?? []);
  return fixes.length < known.length ? undefined : fixes.sort(compareReleases).at(-1);
}
