import { isMovingTag, isPinned } from "../../catalog/image-reference";
import { type Field, isObject } from "../lib/field";
import { helmValues } from "../lib/helm-values";
import { podTemplates } from "../lib/pods";
import { resourcePolicy } from "../lib/policy";

/** Keys next to which `image` is a part of the reference. */
const REFERENCE_PARTS = ["repository", "registry", "tag", "version", "digest"];

export const noLatestImage = resourcePolicy(
  {
    name: "no-latest-image",
    description:
      "Every image, of containers, image volumes and Helm values, is pinned: by digest, or by a tag that does not move.",
    severity: "medium",
    enforcementLevel: "mandatory",
    tags: ["supply-chain"],
    remediationSteps: "Take the image from the catalogue, or give it the version tag or digest that was tested.",
  },
  (resource, report) => {
    const allowed = "a version tag (not latest, main or the like) or a sha256 digest";
    for (const { spec, containers, isPartial } of podTemplates(resource)) {
      const images = [
        ...containers.map(({ field }) => field.get("image")).filter(({ value }) => !(isPartial && value === undefined)),
        ...imageVolumes(spec),
      ];
      for (const image of images) {
        if (image.is((value) => typeof value !== "string" || !isPinned(value))) {
          report({ resource, field: image, allowed });
        }
      }
    }
    for (const { key, field, holder } of helmValues(resource)) {
      const isTag = /tag$/i.test(key) && field.is((value) => typeof value === "string" && isMovingTag(value));
      const isWhole = key === "image" && REFERENCE_PARTS.every((part) => holder.get(part).value === undefined);
      if (isTag || (isWhole && field.is((value) => typeof value === "string" && value !== "" && !isPinned(value)))) {
        report({ resource, field, allowed });
      }
    }
  },
);

function imageVolumes(spec: Field): Field[] {
  return spec
    .get("volumes")
    .items()
    .map((volume) => volume.get("image"))
    .filter((image) => image.is(isObject))
    .map((image) => image.get("reference"));
}
