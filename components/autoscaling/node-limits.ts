import type { ModelPlan } from "../../planner/types";
import type { EksPool } from "../cluster/eks/settings";
import type { NodePoolDisruption } from "./karpenter-types";

/** Models, as far as it matters to nodes that they run there. */
export type RunningModel = Pick<
  ModelPlan,
  "pool" | "nodesPerReplica" | "startupBudgetSeconds" | "drainSeconds" | "resources" | "serverOf"
>;

/** Seconds that a node stays without pods: at least, so that a rollout finds it again; at most, because it is paid for. */
const IDLE = { least: 300, most: 3600 } as const;
/** Seconds in which what is no model leaves a node, with its PodDisruptionBudgets. */
const LEAVE_SECONDS = 900;
/** That Envoy Gateway gives the pod of a proxy beyond its drain (1.9, internal/infrastructure/kubernetes/proxy). */
const PROXY_MORE_SECONDS = 300;
/** Seconds that a machine may take to end once its pods are gone: those with many GPUs take long. */
const MACHINE_ENDS_SECONDS = 1800;
/** Seconds that the deletion of what makes nodes may take, at least. */
const LEAST_DELETE_SECONDS = 3600;

/**
 * Limits of a NodePool that admit so many nodes of its one shape, and one more while a drifted node is replaced: it is left out when the
 * room for its successor is counted (seen on the real one, test/e2e/karpenter.test.ts). Karpenter starts a machine only where the
 * whole of its capacity is left of each limit (filterByRemainingResources, kubernetes-sigs/karpenter v1.14.1,
 * pkg/controllers/provisioning/scheduling/scheduler.go), and machines have all of their vCPUs and GPUs as capacity. Of memory
 * they lack what the hypervisor keeps, so that a limit of it says nothing exact. `nodes`, which it has too, is not counted
 * within one round there.
 */
export function nodeLimits({ plan, karpenterNodes }: EksPool): Readonly<Record<string, string>> {
  const { cpu, gpu } = plan.shape;
  // Where cards are shared, nodes count parts or turns.
  const counted = gpu !== undefined && plan.sharing === undefined;
  return {
    cpu: String(karpenterNodes * cpu.vcpus),
    ...(counted && { [gpu.resource]: String(karpenterNodes * gpu.count) }),
  };
}

/**
 * When nodes of a pool may be taken away.
 *
 * - An idle node goes after as long as the slowest of the pool's models takes to start: one that comes back sooner would
 *   wait for a machine besides.
 * - No running model is moved to save a node: it would answer nobody until it is loaded elsewhere, and the plan has packed
 *   replicas on nodes already. What runs on system nodes moves cheaply, behind its PodDisruptionBudgets: there nodes go
 *   that others have room for.
 * - A change of what nodes boot replaces them one by one, a new one first, except under replicas that span nodes: one node
 *   that goes takes the whole replica with it.
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
 * How long a node that goes may wait for its pods, after which they are ended whatever their PodDisruptionBudgets say: time
 * for its replicas to start elsewhere one after the other, and for each to finish what it answers.
 */
export function terminationGracePeriod(pool: EksPool, models: readonly RunningModel[]): string {
  return minutes(graceSeconds(pool, models));
}

/**
 * How long the deletion of a pool's NodePool, or of its class, may take: Karpenter holds both until the last machine is gone,
 * and none is taken from pods within their grace.
 */
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
 * Grace of the gateway's proxies, which finish requests as models do. Pods with a longer grace than their node has left go at once, past
 * their budgets (karpenter v1.14.1, pkg/controllers/node/termination/terminator, DeleteExpiringPods).
 */
function proxyGrace(models: readonly RunningModel[]): number {
  return PROXY_MORE_SECONDS + Math.max(0, ...models.map(({ drainSeconds }) => drainSeconds));
}

/** Of one model, by GPUs; 1 where it has none. */
function replicasPerNode(gpus: number | undefined, { resources }: RunningModel): number {
  return gpus === undefined || resources.gpus === 0 ? 1 : Math.max(1, Math.floor(gpus / resources.gpus));
}

/** Seconds as Karpenter's durations are written, in whole minutes. */
function minutes(seconds: number): string {
  return `${Math.ceil(seconds / 60)}m`;
}
