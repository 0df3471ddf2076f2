/** User additions to an engine's pods, and their planned resources. Plain data, as configured. */
import type { SidecarResources } from "../engines";

/** A volume of the engine's container, with exactly one source. */
export interface UserVolume {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly: boolean;
  readonly scratchGiB?: number | undefined;
  readonly claim?: string | undefined;
  readonly configMap?: string | undefined;
  readonly secret?: string | undefined;
}

export interface UserContainer {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[] | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Paths by volume. */
  readonly mounts?: Readonly<Record<string, string>> | undefined;
  readonly writablePaths?: readonly string[] | undefined;
}

export interface UserSidecar extends UserContainer {
  readonly cpu: number;
  readonly memoryGiB: number;
}

export interface UserProbe {
  readonly periodSeconds?: number | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly failures?: number | undefined;
}

export interface UserPod {
  /** Minimum per pod, cores. */
  readonly cpu?: number | undefined;
  /** Minimum per pod. */
  readonly memoryGiB?: number | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly volumes?: readonly UserVolume[] | undefined;
  readonly initContainers?: readonly UserContainer[] | undefined;
  readonly sidecars?: readonly UserSidecar[] | undefined;
  readonly probes?:
    | {
        readonly startupSeconds?: number | undefined;
        readonly readiness?: UserProbe | undefined;
        readonly liveness?: UserProbe | undefined;
      }
    | undefined;
}

/** Root, logs and scratch folders of a user container, GiB. */
const CONTAINER_STORAGE_GIB = 1;

export function userSidecar({ cpu, memoryGiB }: UserSidecar): SidecarResources {
  return { cpu, memoryGiB, ephemeralStorageGiB: CONTAINER_STORAGE_GIB };
}

export function userSidecars({ sidecars = [] }: UserPod = {}): SidecarResources[] {
  return sidecars.map(userSidecar);
}

/** GiB. */
export function userScratchGiB({ volumes = [] }: UserPod = {}): number {
  return volumes.reduce((sum, { scratchGiB = 0 }) => sum + scratchGiB, 0);
}
