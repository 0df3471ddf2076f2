import { allTolerated, taintsOf } from "../planner/taints";
import type { CapacityProblem, PoolPlan } from "../planner/types";
import type { ClusterConfig } from "./config";

type Provider = PoolPlan["shape"]["provider"];

/** A pool for the platform. */
const SYSTEM_POOLS: Readonly<Record<Provider, string>> = {
  oci: "{shape: VM.Standard.A1.Flex, ocpus: 4, memoryGiB: 24, minNodes: 2}",
  aws: "{shape: m7i.2xlarge, minNodes: 2}",
  onprem: "{node: {vcpus: 8, memoryGiB: 32}, minNodes: 2}",
};

/**
 * Platform pods tolerate no taint. GPU machines of clouds are tainted, by the cloud or as
 * docs/environments asks, and so are pools with own taints. Other own machines need no taint where
 * they also run the platform; a cluster without another pool or provisioning stack gets advice.
 */
export function platformPlaceProblems(
  { provision }: Pick<ClusterConfig, "provision">,
  pools: readonly Pick<PoolPlan, "name" | "shape" | "taints">[],
): CapacityProblem[] {
  const isOpen = ({ taints }: (typeof pools)[number]) => allTolerated(taints, []);
  if (pools.length === 0 || pools.some(isOpen)) {
    return [];
  }
  const names = (some: typeof pools) => some.map(({ name }) => name).join(", ");
  const own = pools.filter(({ shape, taints }) => shape.provider === "onprem" && allTolerated(taints, taintsOf(shape)));
  if (own.length === 0) {
    const example = SYSTEM_POOLS[pools[0]?.shape.provider ?? "onprem"];
    return [
      {
        severity: "mandatory",
        rule: "platform-place",
        subject: "pools",
        message: `the platform itself has no place: the nodes of every pool (${names(pools)}) are tainted, as GPU nodes are and as taints says, and gateway, model store and monitoring tolerate no taint. Add a pool without GPUs and taints, for example system: ${example}.`,
      },
    ];
  }
  return provision === "create"
    ? []
    : [
        {
          severity: "advisory",
          rule: "platform-place",
          subject: "pools",
          message: `no pool is without GPUs or taints: gateway, model store and monitoring run on nodes of ${names(own)}, and tolerate no taint. Leave those nodes without taints, or add a pool, for example system: ${SYSTEM_POOLS.onprem}.`,
        },
      ];
}
