/** What several files of the fabric gate call by one name. */
import { LABEL_PREFIX, type Labels, selectorLabels } from "../../names/labels";
import { FABRIC_GATE_HOST_NAMESPACE, FABRIC_GATE_NAMESPACE } from "../../names/namespaces";
import type { PoolPlan } from "../../planner/types";
import type { PodSelection } from "../core/connections";

export const CERTIFIER_APP = "fabric-certifier";
export const TRIAL_APP = "fabric-trial";
/** Service by which the pods of a trial find each other. */
export const TRIAL_SERVICE = "trials";
export const CERTIFIER_ACCOUNT = "certifier";

/** Priority class of trials: they take nobody's place, and give theirs to every model. */
export const TRIAL_PRIORITY = "inference-trial";

/** Of a trial, and of its pods: the pool whose nodes it tries. */
export const POOL_LABEL = `${LABEL_PREFIX}/pool`;

export type GatedPool = PoolPlan & Required<Pick<PoolPlan, "fabric" | "fabricGate">>;

/** Pools whose nodes pass a trial before models come. */
export function gatedPools(pools: readonly PoolPlan[]): GatedPool[] {
  return pools.filter((pool): pool is GatedPool => pool.fabricGate !== undefined && pool.fabric !== undefined);
}

/** Where a pool's trials run: with the network of their nodes they ask for more than Pod Security's `restricted`. */
export function gateNamespace({ fabric }: Pick<GatedPool, "fabric">): string {
  return fabric.access === "host-network" ? FABRIC_GATE_HOST_NAMESPACE : FABRIC_GATE_NAMESPACE;
}

/** Namespaces of all gates, each once. */
export function gateNamespaces(pools: readonly PoolPlan[]): string[] {
  return [...new Set(gatedPools(pools).map(gateNamespace))].sort();
}

/** What the API server calls the accounts of certifiers, as CEL writes texts. */
export function certifierUsers(pools: readonly PoolPlan[]): string[] {
  return gateNamespaces(pools).map((namespace) => `'system:serviceaccount:${namespace}:${CERTIFIER_ACCOUNT}'`);
}

/** Labels of a pool's trials, their pods included. */
export function trialLabels(pool: string): Labels {
  return { ...selectorLabels(TRIAL_APP, pool), [POOL_LABEL]: pool };
}

export function certifierPods(namespace: string): PodSelection {
  return { namespace, podLabels: { "app.kubernetes.io/name": CERTIFIER_APP }, serviceAccount: CERTIFIER_ACCOUNT };
}

export function trialPods(namespace: string): PodSelection {
  return { namespace, podLabels: { "app.kubernetes.io/name": TRIAL_APP } };
}
