import type { Field } from "./field";
import { type Container, containers, type PodTemplate } from "./pods";

/** Extended resources of the NVIDIA and AMD device plugins: whole GPUs, shared GPUs and MIG slices. */
const GPU_RESOURCE = /^(nvidia|amd)\.com\/(gpu|mig-)/;

export interface GpuClaim {
  readonly container: Container;
  /** For example `nvidia.com/gpu`. */
  readonly resourceName: string;
  readonly limit: Field;
  readonly request: Field;
}

/** GPU claims of a pod's containers; asking for zero GPUs is no claim. */
export function gpuClaims(pod: PodTemplate): GpuClaim[] {
  return containers(pod).flatMap((container) => {
    const limits = container.field.get("resources", "limits");
    const requests = container.field.get("resources", "requests");
    const names = new Set(
      [...limits.entries(), ...requests.entries()].map(([name]) => name).filter((name) => GPU_RESOURCE.test(name)),
    );
    return [...names]
      .map((resourceName) => ({
        container,
        resourceName,
        limit: limits.get(resourceName),
        request: requests.get(resourceName),
      }))
      .filter(({ limit, request }) => !(isZero(limit) && isZero(request)));
  });
}

function isZero(field: Field): boolean {
  return field.is((value) => value === undefined || Number(value) === 0);
}
