/** Controllers of others that make pods of our objects, and run here as they are. */
import type { BinaryName } from "../parts/parts";
import type { ControlPlane } from "./control-plane";
import { LWS_MODULE, runGroupController } from "./lws-manager";
import { RAY_MODULE, runRayOperator } from "./ray-operator";

export interface ForeignController {
  /** Of the objects that it makes pods of, as `<Kind>.<group>`. */
  readonly kind: string;
  readonly binary: BinaryName;
  /** Go module whose files it needs. */
  readonly module: string;
  readonly run: (plane: ControlPlane) => Promise<void>;
}

const CONTROLLERS: readonly ForeignController[] = [
  {
    kind: "LeaderWorkerSet.leaderworkerset.x-k8s.io",
    binary: "lws-manager",
    module: LWS_MODULE,
    run: runGroupController,
  },
  { kind: "RayService.ray.io", binary: "ray-operator", module: RAY_MODULE, run: runRayOperator },
];

/** Those that objects of these kinds need. */
export function controllersOf(kinds: ReadonlySet<string>): ForeignController[] {
  return CONTROLLERS.filter(({ kind }) => kinds.has(kind));
}
