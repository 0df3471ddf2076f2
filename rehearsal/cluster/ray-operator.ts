import { requirePart } from "../parts/find";
import { installCrds } from "./chart-crds";
import type { ControlPlane } from "./control-plane";

/** The Go module of KubeRay's operator. */
export const RAY_MODULE = "github.com/ray-project/kuberay/ray-operator";

/** Beside RayServices the operator watches these, and does not start without them; of the first it makes one for each service. */
const FURTHER_KINDS = new Set(["RayCluster.ray.io", "RayJob.ray.io", "RayCronJob.ray.io"]);

/**
 * Starts the real operator of Ray clusters. The RayService CRD must be there.
 *
 * @param env variables of the operator. @default none
 * @throws Error that names the command which installs it.
 */
export async function runRayOperator(plane: ControlPlane, env: Readonly<Record<string, string>> = {}): Promise<void> {
  await installCrds(plane.client, { module: RAY_MODULE, path: "config/crd/bases" }, FURTHER_KINDS);
  plane.run(
    requirePart("ray-operator"),
    [
      "--enable-leader-election=false",
      "--metrics-addr=0",
      "--health-probe-bind-address=0",
      // As the platform sets it: the other way to upgrade watches kinds of the Gateway API.
      "--feature-gates=RayClusterStatusConditions=true,RayServiceIncrementalUpgrade=false",
    ],
    { KUBECONFIG: plane.kubeconfig, ...env },
  );
}
