import type { Field } from "./field";
import type { Container, PodTemplate } from "./pods";

/** Extended resources of NVIDIA's and AMD's device plugins: GPUs, shared GPUs and MIG slices. */
const GPU_RESOURCE = /^(nvidia|amd)\.com\/(gpu|mig-)/;

export interface GpuClaim {
  readonly container: Container;
  /** For example `nvidia.com/gpu`. */
  readonly resourceName: string;
  readonly limit: Field;
  readonly request: Field;
}

/** GPU claims of a pod's containers; zero GPUs are no claim. */
export function gpuClaims(pod: PodTemplate): GpuClaim[] {
  return pod.containers.flatMap((container) => {
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

/** Explicit claims, and those of extended resources. */
export function deviceClaims(pod: PodTemplate): Field[] {
  const dynamic = pod.containers
    .map(({ field }) => field.get("resources", "claims"))
    .filter((claims) => claims.items().length > 0);
  const [extended] = dynamic.length > 0 ? gpuClaims(pod) : [];
  return extended ? [extended.limit, ...dynamic] : dynamic;
}

/** NVIDIA's runtime exposes GPUs without a claim by these, except with `void` and `none`. */
export function visibleDevices(pod: PodTemplate): Field[] {
  return pod.containers
    .flatMap(({ field }) => field.get("env").items())
    .filter((variable) => variable.get("name").value === "NVIDIA_VISIBLE_DEVICES")
    .flatMap((variable) => [
      ...[variable.get("value")].filter((devices) =>
        devices.is((value) => value !== undefined && value !== "" && value !== "void" && value !== "none"),
      ),
      ...[variable.get("valueFrom")].filter((source) => source.is((value) => value !== undefined && value !== null)),
    ]);
}

/** Mounts in this folder are names of GPUs (NVIDIA/k8s-device-plugin, strategy `volume-mounts`). */
const DEVICES_BY_MOUNT = /^\/*(var\/+)?run\/+nvidia-container-devices(\/|$)/;
const DEVICES_BY_ANNOTATION = "cdi.k8s.io/";

export function uncountedDevices(pod: PodTemplate): Field[] {
  return [
    ...pod.metadata
      .get("annotations")
      .entries()
      .filter(([key]) => key.startsWith(DEVICES_BY_ANNOTATION))
      .map(([, field]) => field),
    ...pod.containers
      .flatMap(({ field }) => field.get("volumeMounts").items())
      .map((mount) => mount.get("mountPath"))
      .filter((path) => path.is((value) => typeof value === "string" && DEVICES_BY_MOUNT.test(value))),
  ];
}
