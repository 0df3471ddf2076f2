import { requirePart } from "../parts/find";
import { installCrds } from "./chart-crds";
import type { ControlPlane } from "./control-plane";

export const RAY_MODULE = "github.com/ray-project/kuberay/ray-operator";

/** Kinds that the operator requires at startup; it creates a RayCluster per RayService. */
const FURTHER_KINDS = new Set(["RayCluster.ray.io", "RayJob.ray.io", "RayCronJob.ray.io"]);

/**
 * Starts the KubeRay operator. Requires the RayService CRD.
 *
 * @param env variables of the operator.
 * @default none
 * @throws Error with the install command.
 */
export async function runRayOperator(plane: ControlPlane, env: Readonly<Record<string, string>> = {}): Promise<void> {
  await installCrds(plane.client, { module: RAY_MODULE, path: "config/crd/bases" }, FURTHER_KINDS);
  plane.run(
    requirePart("ray-operator"),
    [
      "--enable-leader-election=false",
      "--metrics-addr=0",
      "--health-probe-bind-address=0",
      // As in the platform: incremental upgrades would require Gateway API kinds.
      "--feature-gates=RayClusterStatusConditions=true,RayServiceIncrementalUpgrade=false",
    ],
    { KUBECONFIG: plane.kubeconfig, ...env },
  );
}
