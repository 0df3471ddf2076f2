import { helmValues } from "../lib/helm-values";
import { isPinned } from "../lib/image-reference";
import { containers, podTemplates } from "../lib/pods";
import { resourcePolicy } from "../lib/policy";

/** Keys beside which `image` is only a part of the reference. */
const REFERENCE_PARTS = ["repository", "registry", "tag", "version", "digest"];

export const noLatestImage = resourcePolicy(
  {
    name: "no-latest-image",
    description: "Every image is pinned: by digest, or by a tag other than latest. Image tags in Helm values too.",
    severity: "medium",
    enforcementLevel: "mandatory",
    tags: ["supply-chain"],
    remediationSteps: "Take the image from the catalogue, or give it the version tag or digest that was tested.",
  },
  (resource, report) => {
    const allowed = "a version tag (not latest) or a sha256 digest";
    for (const { field } of podTemplates(resource).flatMap(containers)) {
      const image = field.get("image");
      if (image.is((value) => typeof value !== "string" || !isPinned(value))) {
        report({ resource, field: image, allowed });
      }
    }
    for (const { key, field, holder } of helmValues(resource)) {
      const isTag = /tag$/i.test(key) && field.is((value) => value === "latest");
      const isWhole = key === "image" && REFERENCE_PARTS.every((part) => holder.get(part).value === undefined);
      if (isTag || (isWhole && field.is((value) => typeof value === "string" && value !== "" && !isPinned(value)))) {
        report({ resource, field, allowed });
      }
    }
  },
);
