import type * as pulumi from "@pulumi/pulumi";
import { platformPools } from "../../planner/platform-pools";
import type { PoolPlan } from "../../planner/types";
import type { PoolsReady } from "../core/cluster";

export function platformNodes(pools: readonly { readonly plan: PoolPlan }[], nodes: PoolsReady): pulumi.Resource[] {
  return platformPools(pools.map(({ plan }) => plan)).flatMap(({ name }) => nodes[name] ?? []);
}
