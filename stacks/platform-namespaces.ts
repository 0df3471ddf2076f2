import type { Cluster } from "../components/core/cluster";
import { gateNamespaces } from "../components/gpu/names";
import { servingNamespaces } from "../components/serving/serving";
import {
  AI_GATEWAY_NAMESPACE,
  CERT_MANAGER_NAMESPACE,
  ENVOY_GATEWAY_NAMESPACE,
  GATEWAY_NAMESPACE,
  ISTIO_NAMESPACE,
  MODEL_STORE_NAMESPACE,
  NETWORK_POLICY_NAMESPACE,
} from "../names/namespaces";
import { PLAN_CONFIG_MAP } from "../names/plan-record";
import type { ActiveAddon } from "./addons/addon";
import type { Planned } from "./addons/contract";

/** Every Kubernetes namespace that the platform makes. Others that connections name are somebody else's. */
export function platformNamespaces(
  planned: Planned & { readonly cluster: Pick<Cluster, "networkPolicies"> },
  addons: readonly Pick<ActiveAddon, "namespaces">[],
): string[] {
  const { environment, plan, cluster } = planned;
  return [
    PLAN_CONFIG_MAP.namespace,
    ...(cluster.networkPolicies === "platform" ? [NETWORK_POLICY_NAMESPACE] : []),
    ...(environment.mesh.mode === "off" ? [] : [ISTIO_NAMESPACE]),
    ENVOY_GATEWAY_NAMESPACE,
    AI_GATEWAY_NAMESPACE,
    ...(environment.cluster.certManager === "platform" ? [CERT_MANAGER_NAMESPACE] : []),
    MODEL_STORE_NAMESPACE,
    ...gateNamespaces(plan.pools),
    ...servingNamespaces(plan.models, plan.stage),
    GATEWAY_NAMESPACE,
    ...addons.flatMap((addon) => addon.namespaces(planned) ?? []),
  ];
}
