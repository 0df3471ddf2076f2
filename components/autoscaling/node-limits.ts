import type { ModelPlan } from "../../planner/types";
import type { EksPool } from "../cluster/eks/settings";
import type { NodePoolDisruption } from "./karpenter-types";

/** Model properties that matter to nodes. */
export type RunningModel = Pick<
  ModelPlan,
  "pool" | "nodesPerReplica" | "startupBudgetSeconds" | "drainSeconds" | "resources" | "serverOf"
>;

/** Seconds that a node stays without pods: minimum for rollouts, maximum for cost. */
const IDLE = { least: 300, most: 3600 } as const;
/** Seconds for other workloads to leave a node, within their PodDisruptionBudgets. */
const LEAVE_SECONDS = 900;
/**
 * Envoy Gateway's extra grace for proxy pods after draining (1.9,
 * internal/infrastructure/kubernetes/proxy).
 */
const PROXY_MORE_SECONDS = 300;
/** Seconds for a machine to end after its pods; multi-GPU machines are slow. */
const MACHINE_ENDS_SECONDS = 1800;
/** Minimum deletion timeout of Karpenter resources, seconds. */
const LEAST_DELETE_SECONDS = 3600;

/**
 * NodePool limits for the nodes of one shape, plus one while a drifted node is replaced, which
 * Karpenter then does not count (observed in test/e2e/karpenter.test.ts). It starts a machine only
 * if every limit has room for its full capacity (filterByRemainingResources,
 * kubernetes-sigs/karpenter v1.14.1, pkg/controllers/provisioning/scheduling/scheduler.go). vCPUs
 * and GPUs are exact; memory excludes the hypervisor's share. The `nodes` limit is not counted
 * within a scheduling round.
 */
export function nodeLimits({ plan, karpenterNodes }: EksPool): Readonly<Record<string, string>> {
  const { cpu, gpu } = plan.shape;
  // With GPU sharing, nodes advertise slices or time slices.
  const counted = gpu !== undefined && plan.sharing === undefined;
  return {
    cpu: String(karpenterNodes * cpu.vcpus),
    ...(counted && { [gpu.resource]: String(karpenterNodes * gpu.count) }),
  };
}

/**
 * When nodes of a pool may be removed.
 *
 * - Idle nodes stay as long as the slowest model takes to start.
 * - Running models are never moved: they would be unavailable while loading, and the plan already
 *   packs replicas. Platform workloads move cheaply, so system nodes are consolidated.
 * - Changed boot settings replace nodes one by one, successor first. Not under replicas that span
 *   nodes, which end with any node.
 */
export function disruption({ plan }: EksPool, models: readonly RunningModel[]): NodePoolDisruption {
  const own = models.filter(({ pool }) => pool === plan.name);
  const startup = Math.max(0, ...own.map(({ startupBudgetSeconds }) => startupBudgetSeconds));
  const spansNodes = own.some(({ nodesPerReplica }) => nodesPerReplica > 1);
  return {
    consolidationPolicy: plan.role === "system" ? "WhenEmptyOrUnderutilized" : "WhenEmpty",
    consolidateAfter: minutes(Math.min(IDLE.most, Math.max(IDLE.least, startup))),
    budgets: [
      { nodes: spansNodes ? "0" : "1", reasons: ["Underutilized", "Drifted"] },
      { nodes: "100%", reasons: ["Empty"] },
    ],
  };
}

/**
 * Time for a leaving node's pods before they end regardless of PodDisruptionBudgets: replicas start
 * elsewhere one by one, and finish their answers.
 */
export function terminationGracePeriod(pool: EksPool, models: readonly RunningModel[]): string {
  return minutes(graceSeconds(pool, models));
}

/** Deletion timeout of a NodePool or class: Karpenter holds both until the last machine is gone. */
export function deleteTimeout(pool: EksPool, models: readonly RunningModel[]): string {
  return minutes(Math.max(LEAST_DELETE_SECONDS, graceSeconds(pool, models) + MACHINE_ENDS_SECONDS));
}

function graceSeconds({ plan }: EksPool, models: readonly RunningModel[]): number {
  const longest = models
    .filter(({ pool, serverOf }) => pool === plan.name && serverOf === undefined)
    .map((model) => replicasPerNode(plan.shape.gpu?.count, model) * (model.startupBudgetSeconds + model.drainSeconds));
  return Math.max(LEAVE_SECONDS, ...longest, ...(plan.role === "system" ? [LEAVE_SECONDS + proxyGrace(models)] : []));
}

/**
 * Grace period of gateway proxies. Pods with a longer grace than their node's remaining time are
 * deleted at once (karpenter v1.14.1, pkg/controllers/node/termination/terminator,
 * DeleteExpiringPods).
 */
function proxyGrace(models: readonly RunningModel[]): number {
  return PROXY_MORE_SECONDS + Math.max(0, ...models.map(({ drainSeconds }) => drainSeconds));
}

/** Replicas of a model per node by GPUs; 1 without GPUs. */
function replicasPerNode(gpus: number | undefined, { resources }: RunningModel): number {
  return gpus === undefined || resources.gpus === 0 ? 1 : Math.max(1, Math.floor(gpus / resources.gpus));
}

/** Seconds as a Karpenter duration in whole minutes. */
function minutes(seconds: number): string {
  return `${Math.ceil(seconds / 60)}m`;
}
