import { deviceClaims, gpuClaims, visibleDevices } from "../lib/gpu";
import { podTemplates } from "../lib/pods";
import { resourcePolicy } from "../lib/policy";

export const gpuClaimedOnce = resourcePolicy(
  {
    name: "gpu-claimed-once",
    description:
      "A pod claims its GPUs in exactly one container, as whole numbers, with requests equal to limits; no container takes GPUs that it did not claim.",
    severity: "high",
    enforcementLevel: "mandatory",
    tags: ["gpu", "cost"],
    remediationSteps:
      "Give the GPUs to the container that runs the engine, in limits; sidecars and init containers claim none.",
  },
  (resource, report) => {
    for (const pod of podTemplates(resource)) {
      for (const field of visibleDevices(pod)) {
        report({
          resource,
          field,
          allowed: "void, none or nothing: the device plugin names the GPUs that were claimed",
        });
      }
      for (const field of deviceClaims(pod).slice(1)) {
        report({ resource, field, found: "claims devices a second time", allowed: "one claiming container per pod" });
      }
      const claims = gpuClaims(pod);
      const claimants = [...new Set(claims.map(({ container }) => container.name))];
      for (const { container, limit, request } of claims) {
        if (container.name !== claimants[0]) {
          const field = limit.value === undefined ? request : limit;
          report({
            resource,
            field,
            found: `claims GPUs a second time (${claimants.join(", ")})`,
            allowed: "one claiming container per pod",
          });
        }
        if (limit.is((value) => value === undefined)) {
          report({ resource, field: limit, allowed: "GPUs are set in limits, requests follow from them" });
        } else if (limit.is((value) => !/^[1-9]\d*$/.test(String(value)))) {
          report({ resource, field: limit, allowed: "a whole number of GPUs" });
        } else if (request.is((value) => value !== undefined && String(value) !== String(limit.value))) {
          report({ resource, field: request, allowed: `${String(limit.value)}, as in limits, or nothing` });
        }
      }
    }
  },
);
