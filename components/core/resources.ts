import type { SidecarResources } from "../../engines";
import { allOf, NO_SIDECAR } from "../../planner/sidecars";
import type { ModelPlan, PodResources } from "../../planner/types";

type Quantities = Record<string, string>;

/** Requests and limits of a container, as Kubernetes quantities. */
export interface ContainerResources {
  readonly requests: Quantities;
  readonly limits: Quantities;
}

/** CPU in cores, memory and ephemeral storage in GiB. */
export interface ContainerSize {
  readonly cpu: number;
  readonly memoryGiB: number;
  /** What the container may write to its root, logs and emptyDirs. @default 1 */
  readonly ephemeralStorageGiB?: number;
}

/** Requests equal limits (QoS class Guaranteed): for pods that own GPUs or hold state. */
export function guaranteed(size: ContainerSize): ContainerResources {
  const quantities = toQuantities(size);
  return { requests: quantities, limits: quantities };
}

/** Small requests, room to burst: for control-plane helpers. */
export function burstable(request: ContainerSize, limit: ContainerSize): ContainerResources {
  return { requests: toQuantities(request), limits: toQuantities(limit) };
}

/** Resources as values of a chart. */
export function quantities({ requests, limits }: ContainerResources): Record<keyof ContainerResources, Quantities> {
  return { requests: { ...requests }, limits: { ...limits } };
}

type SizedModel = Pick<ModelPlan, "resources" | "sidecars">;

/** What the engine gets of that which the plan decided for a model's pod: all but what runs beside it. */
export function modelResources(model: SizedModel, own?: SidecarResources): ContainerResources {
  const quantities = { ...toQuantities(besidesSidecars(model, own)), ...extendedQuantities(model.resources) };
  return { requests: quantities, limits: quantities };
}

/**
 * What a container may have that runs while the platform's sidecars do. For one that ends before the engine starts, it is the
 * most that leaves the pod's requests as planned: Kubernetes adds to it the sidecars before it.
 * @param own what the engine's own sidecar takes, where that runs too.
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

/** Extended resources of a pod: GPUs and other devices. Requests and limits name them alike. */
export function extendedQuantities({ gpuResource, gpus, extended = {} }: PodResources, pods = 1): Quantities {
  const all = { ...(gpuResource && gpus > 0 && { [gpuResource]: gpus }), ...extended };
  return Object.fromEntries(Object.entries(all).map(([name, count]) => [name, String(pods * count)]));
}

/** Spec of a volume claim for one pod at a time; of the cluster's default class when `storageClass` is undefined. */
export function volumeClaimSpec(sizeGiB: number, storageClass: string | undefined) {
  return {
    accessModes: ["ReadWriteOnce"],
    ...(storageClass !== undefined && { storageClassName: storageClass }),
    resources: { requests: { storage: gibibytes(sizeGiB) } },
  };
}

/** GiB as a Kubernetes quantity, in Mi where it is no whole number. */
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
