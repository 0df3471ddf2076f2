import options from "../../catalog/engine-options/vllm.json";
import { podTemplates } from "../lib/pods";
import { resourcePolicy } from "../lib/policy";

/** For these names the kubelet sets a variable that vLLM reads as port: `vllm` for VLLM_PORT. */
const TAKEN_NAMES = new Set(
  options.environment.flatMap(({ name }) => {
    const [, service] = /^(.+)_PORT$/.exec(name) ?? [];
    return service === undefined ? [] : [service.toLowerCase().replaceAll("_", "-")];
  }),
);

export const serviceLinksOff = resourcePolicy(
  {
    name: "service-links-off",
    description:
      "Pods switch service links off, and no Service is named vllm, nor as another port of vLLM: with links it would set VLLM_PORT, which vLLM reads as its own.",
    severity: "low",
    enforcementLevel: "mandatory",
    tags: ["reliability"],
    remediationSteps:
      "Set enableServiceLinks: false; hardenedPodSpec() does. Name a Service after its model, as model-chat.",
  },
  (resource, report) => {
    for (const { spec, isPartial } of podTemplates(resource)) {
      const links = spec.get("enableServiceLinks");
      if (links.is((value) => value !== false && !(isPartial && value === undefined))) {
        report({ resource, field: links, allowed: "false" });
      }
    }
    const name = resource.props.get("metadata", "name");
    if (resource.kind === "Service" && name.is((value) => typeof value === "string" && TAKEN_NAMES.has(value))) {
      report({ resource, field: name, allowed: `any name but ${[...TAKEN_NAMES].join(", ")}` });
    }
  },
);
