import { podTemplates } from "../lib/pods";
import { resourcePolicy } from "../lib/policy";

const REQUIRED = [
  ["requests", "cpu"],
  ["requests", "memory"],
  ["requests", "ephemeral-storage"],
  ["limits", "cpu"],
  ["limits", "memory"],
] as const;

export const resourcesSet = resourcePolicy(
  {
    name: "resources-set",
    description:
      "Every container, init containers included, requests and limits CPU and memory, and requests ephemeral storage.",
    severity: "medium",
    enforcementLevel: "mandatory",
    tags: ["scheduling", "reliability"],
    remediationSteps:
      "Size the container with guaranteed(), burstable() or modelResources() of components/core/resources.",
  },
  (resource, report) => {
    const pods = podTemplates(resource).filter(({ isPartial }) => !isPartial);
    for (const { field } of pods.flatMap(({ containers }) => containers)) {
      for (const [kind, name] of REQUIRED) {
        const quantity = field.get("resources", kind, name);
        if (quantity.is((value) => value === undefined || value === null || value === "")) {
          report({ resource, field: quantity, allowed: "a quantity, measured or planned" });
        }
      }
    }
  },
);
