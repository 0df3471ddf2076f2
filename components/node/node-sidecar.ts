import type { HardenedContainer, HardenedPodArgs } from "../core/hardened-pod";

/** A native sidecar: starts before the engine and ends after it. */
export interface NodeSidecar {
  readonly container: HardenedContainer & { readonly restartPolicy: "Always" };
  /** Pod volumes for its mounts. */
  readonly volumes: NonNullable<HardenedPodArgs["volumes"]>;
  /** Hash of all inputs outside the pod template. */
  readonly hash: string;
}
