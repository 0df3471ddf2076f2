import { podTemplates } from "../lib/pods";
import { resourcePolicy } from "../lib/policy";

export const serviceLinksOff = resourcePolicy(
  {
    name: "service-links-off",
    description:
      "Pods switch service links off: a Service named vllm would set VLLM_PORT, which vLLM reads as its own.",
    severity: "low",
    enforcementLevel: "mandatory",
    tags: ["reliability"],
    remediationSteps: "Set enableServiceLinks: false; hardenedPodSpec() does.",
  },
  (resource, report) => {
    for (const { spec, isPartial } of podTemplates(resource)) {
      const links = spec.get("enableServiceLinks");
      if (links.is((value) => value !== false && !(isPartial && value === undefined))) {
        report({ resource, field: links, allowed: "false" });
      }
    }
  },
);
