import type { HardenedContainer, HardenedPodArgs } from "../core/hardened-pod";

/** What runs beside the engine of a node, as a native sidecar: there before the engine, and until it is gone. */
export interface NodeSidecar {
  readonly container: HardenedContainer & { readonly restartPolicy: "Always" };
  /** Of the pod, for its mounts. */
  readonly volumes: NonNullable<HardenedPodArgs["volumes"]>;
  /** Of all that it reads and that is not in the pod's template. */
  readonly hash: string;
}
