import { deviceClaims, gpuClaims, uncountedDevices, visibleDevices } from "../lib/gpu";
import { podTemplates } from "../lib/pods";
import { resourcePolicy } from "../lib/policy";
import { broken, isTrue, type Row } from "../lib/rows";

/**
 * Claims of devices in use by others (Kubernetes 1.36, resource.k8s.io; v1beta1 requests have no
 * `exactly`).
 */
const ADMIN_ACCESS: readonly Row[] = Object.entries({
  ResourceClaim: "spec",
  ResourceClaimTemplate: "spec.spec",
}).flatMap(([kind, spec]) =>
  ["exactly.adminAccess", "adminAccess"].map((path) => ({
    on: [kind],
    path: `${spec}.devices.requests[].${path}`,
    isWrong: isTrue,
    allowed: "false: it takes devices that others claimed",
  })),
);

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
    for (const finding of broken(ADMIN_ACCESS, resource)) {
      report({ resource, ...finding });
    }
    for (const pod of podTemplates(resource)) {
      for (const field of uncountedDevices(pod)) {
        report({ resource, field, allowed: "none: the device plugin names the GPUs that were claimed" });
      }
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
