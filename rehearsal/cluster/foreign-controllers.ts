/** Third-party controllers that create pods for our objects and run here unmodified. */
import type { BinaryName } from "../parts/parts";
import type { ControlPlane } from "./control-plane";
import { LWS_MODULE, runGroupController } from "./lws-manager";
import { RAY_MODULE, runRayOperator } from "./ray-operator";

export interface ForeignController {
  /** Kind it creates pods for, as `<Kind>.<group>`. */
  readonly kind: string;
  readonly binary: BinaryName;
  /** Go module with files it needs. */
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

export function controllersOf(kinds: ReadonlySet<string>): ForeignController[] {
  return CONTROLLERS.filter(({ kind }) => kinds.has(kind));
}
