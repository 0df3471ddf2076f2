import type { SidecarResources } from "../../engines";
import { allOf, NO_SIDECAR } from "../../planner/sidecars";
import type { ModelPlan, PodResources } from "../../planner/types";

type Quantities = Record<string, string>;

/** Container requests and limits as Kubernetes quantities. */
export interface ContainerResources {
  readonly requests: Quantities;
  readonly limits: Quantities;
}

/** CPU in cores, memory and ephemeral storage in GiB. */
export interface ContainerSize {
  readonly cpu: number;
  readonly memoryGiB: number;
  /** Root file system, logs and emptyDirs. @default 1 */
  readonly ephemeralStorageGiB?: number;
}

/** Requests equal limits (QoS class Guaranteed): for pods with GPUs or state. */
export function guaranteed(size: ContainerSize): ContainerResources {
  const quantities = toQuantities(size);
  return { requests: quantities, limits: quantities };
}

/** Small requests with burst: for control plane helpers. */
export function burstable(request: ContainerSize, limit: ContainerSize): ContainerResources {
  return { requests: toQuantities(request), limits: toQuantities(limit) };
}

export function quantities({ requests, limits }: ContainerResources): Record<keyof ContainerResources, Quantities> {
  return { requests: { ...requests }, limits: { ...limits } };
}

type SizedModel = Pick<ModelPlan, "resources" | "sidecars">;

/** Engine resources: those planned for a model's pod without sidecars. */
export function modelResources(model: SizedModel, own?: SidecarResources): ContainerResources {
  const quantities = { ...toQuantities(besidesSidecars(model, own)), ...extendedQuantities(model.resources) };
  return { requests: quantities, limits: quantities };
}

/**
 * Maximum resources of an init container alongside sidecars within the pod's planned requests:
 * Kubernetes adds preceding sidecars.
 * @param own resources of the engine's sidecar, if it runs then.
 */
export function besidesSidecars(
  { resources, sidecars = NO_SIDECAR }: SizedModel,
  own: SidecarResources = NO_SIDECAR,
): Required<ContainerSize> {
  const sidecar = allOf([own, sidecars]);
  return {
    cpu: resources.cpu - sidecar.cpu,
    memoryGiB: resources.memoryGiB - sidecar.memoryGiB,
    ephemeralStorageGiB: resources.ephemeralStorageGiB - sidecar.ephemeralStorageGiB,
  };
}

/** Extended resources, equal in requests and limits: GPUs and other devices. */
export function extendedQuantities({ gpuResource, gpus, extended = {} }: PodResources, pods = 1): Quantities {
  const all = { ...(gpuResource && gpus > 0 && { [gpuResource]: gpus }), ...extended };
  return Object.fromEntries(Object.entries(all).map(([name, count]) => [name, String(pods * count)]));
}

/** Volume claim spec for one pod at a time. `storageClass` undefined: the cluster's default. */
export function volumeClaimSpec(sizeGiB: number, storageClass: string | undefined) {
  return {
    accessModes: ["ReadWriteOnce"],
    ...(storageClass !== undefined && { storageClassName: storageClass }),
    resources: { requests: { storage: gibibytes(sizeGiB) } },
  };
}

/** GiB as a Kubernetes quantity; fractions in Mi. */
export function gibibytes(gib: number): string {
  return Number.isInteger(gib) ? `${gib}Gi` : `${Math.ceil(gib * 1024)}Mi`;
}

function toQuantities({ cpu, memoryGiB, ephemeralStorageGiB = 1 }: ContainerSize): Quantities {
  return {
    cpu: Number.isInteger(cpu) ? String(cpu) : `${Math.round(cpu * 1000)}m`,
    memory: gibibytes(memoryGiB),
    "ephemeral-storage": gibibytes(ephemeralStorageGiB),
  };
}
