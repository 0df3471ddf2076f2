import { LABEL_PREFIX, type Labels, selectorLabels } from "../../names/labels";
import { FABRIC_GATE_HOST_NAMESPACE, FABRIC_GATE_NAMESPACE } from "../../names/namespaces";
import type { PoolPlan } from "../../planner/types";
import type { PodSelection } from "../core/connections";

export const CERTIFIER_APP = "fabric-certifier";
export const TRIAL_APP = "fabric-trial";
/** Service through which trial pods find each other. */
export const TRIAL_SERVICE = "trials";
export const CERTIFIER_ACCOUNT = "certifier";

/** Priority class of trials: they preempt no pod, and every model preempts them. */
export const TRIAL_PRIORITY = "inference-trial";

/** Label of trials and pods with the tested pool. */
export const POOL_LABEL = `${LABEL_PREFIX}/pool`;

export type GatedPool = PoolPlan & Required<Pick<PoolPlan, "fabric" | "fabricGate">>;

/** Pools whose nodes must pass a trial before models run. */
export function gatedPools(pools: readonly PoolPlan[]): GatedPool[] {
  return pools.filter((pool): pool is GatedPool => pool.fabricGate !== undefined && pool.fabric !== undefined);
}

/** Namespace of a pool's trials: host networking requires more than Pod Security's `restricted`. */
export function gateNamespace({ fabric }: Pick<GatedPool, "fabric">): string {
  return fabric.access === "host-network" ? FABRIC_GATE_HOST_NAMESPACE : FABRIC_GATE_NAMESPACE;
}

/** Distinct namespaces of all gates. */
export function gateNamespaces(pools: readonly PoolPlan[]): string[] {
  return [...new Set(gatedPools(pools).map(gateNamespace))].sort();
}

/** API server user names of certifiers, as CEL strings. */
export function certifierUsers(pools: readonly PoolPlan[]): string[] {
  return gateNamespaces(pools).map((namespace) => `'system:serviceaccount:${namespace}:${CERTIFIER_ACCOUNT}'`);
}

export function trialLabels(pool: string): Labels {
  return { ...selectorLabels(TRIAL_APP, pool), [POOL_LABEL]: pool };
}

export function certifierPods(namespace: string): PodSelection {
  return { namespace, podLabels: { "app.kubernetes.io/name": CERTIFIER_APP }, serviceAccount: CERTIFIER_ACCOUNT };
}

export function trialPods(namespace: string): PodSelection {
  return { namespace, podLabels: { "app.kubernetes.io/name": TRIAL_APP } };
}
