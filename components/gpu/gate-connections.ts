import { FABRIC_GATE_NAMESPACE } from "../../names/namespaces";
import type { PoolPlan } from "../../planner/types";
import { type Connection, connect } from "../core/connections";
import { type ClusterNetworks, toKubernetesApi } from "../core/network";
import { certifierPods, gateNamespaces, trialPods } from "./names";

/** Connections of fabric gates. Host network pods are not covered. */
export function fabricGateConnections(
  pools: readonly PoolPlan[],
  networks: Pick<ClusterNetworks, "apiServerCidrs">,
): Connection[] {
  const namespaces = gateNamespaces(pools);
  return [
    ...namespaces.map((namespace) => toKubernetesApi(namespace, certifierPods(namespace), networks)),
    ...namespaces
      .filter((namespace) => namespace === FABRIC_GATE_NAMESPACE)
      .map((namespace) =>
        connect({
          name: "fabric-trials-to-each-other",
          reason: "Pods of a trial compute together: ssh starts it, then MPI and NCCL choose their ports freely",
          from: trialPods(namespace),
          to: trialPods(namespace),
        }),
      ),
  ];
}
