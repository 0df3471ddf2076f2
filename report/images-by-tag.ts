import { images } from "../catalog/images";
import { isOnPublicPath, partOfImage } from "../catalog/pins";
import type { EnvironmentRun } from "../offline/environment";
import type { ReportedViolation } from "./result";
import { upstreamImages } from "./upstream-images";

/**
 * Anyone who may push can move a tag. Advice only: the catalogue lacks digests that could not be
 * read.
 */
export function imagesByTag(run: Pick<EnvironmentRun, "environment" | "plan" | "recording">): ReportedViolation[] {
  const isRefused = run.plan.problems.some(({ severity }) => severity === "mandatory");
  if (isRefused || run.plan.stage !== "production") {
    return [];
  }
  const byTag = upstreamImages(run).filter(({ repository, digest }) => digest === undefined && isReached(repository));
  const isOurs = ({ repository }: { readonly repository: string }) =>
    images.some((entry) => entry.repository === repository);
  return [
    ...advice("images", byTag.filter(isOurs), "npm run pins -- --digests asks their registries for digests"),
    ...advice(
      "own images",
      byTag.filter((image) => !isOurs(image)),
      "Name them as repository:tag@sha256:…",
    ),
  ];
}

/** Unknown to the catalogue: an image of the environment, whose behaviour is unknown. */
function isReached(repository: string): boolean {
  const part = partOfImage(repository);
  return part === undefined ? !images.some((entry) => entry.repository === repository) : isOnPublicPath(part);
}

function advice(
  resource: string,
  byTag: readonly { readonly repository: string; readonly tag: string }[],
  fix: string,
): ReportedViolation[] {
  const names = [...new Set(byTag.map(({ repository, tag }) => `${repository}:${tag}`))];
  return names.length === 0
    ? []
    : [
        {
          policy: "images-by-tag",
          severity: "advisory",
          resource,
          message: `${names.length} on the public path pulled by tag, which a registry can move: ${names.join(", ")}. ${fix} (docs/pins.md).`,
        },
      ];
}
