import { mirrored } from "../catalog/image-mirror";
import { parseImage } from "../catalog/image-reference";
import { images } from "../catalog/images";
import type { EnvironmentRun } from "../offline/environment";
import { usedImages } from "./images";

/** Named as at its publisher, whatever the mirror. */
export interface UpstreamImage {
  readonly repository: string;
  readonly tag: string;
  readonly digest: string | undefined;
}

export function upstreamImages({
  environment,
  recording,
}: Pick<EnvironmentRun, "environment" | "recording">): UpstreamImage[] {
  const repositories = new Map(
    images.map(({ repository }) => [mirrored(repository, environment.images), repository] as const),
  );
  return usedImages(recording.resources).map(({ image }) => {
    const { repository: place, tag = "", digest } = parseImage(image);
    return { repository: repositories.get(place) ?? place, tag, digest };
  });
}
