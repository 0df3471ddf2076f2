import type { Cluster } from "../components/core/cluster";
import { gateNamespaces } from "../components/gpu/names";
import { rdmaDeviceNamespaces } from "../components/gpu/rdma-devices";
import { servingNamespaces } from "../components/serving/serving";
import { AWS_ACCOUNTS } from "../names/aws";
import {
  AI_GATEWAY_NAMESPACE,
  CERT_MANAGER_NAMESPACE,
  ENVOY_GATEWAY_NAMESPACE,
  GATEWAY_NAMESPACE,
  GPU_SOFTWARE_NAMESPACE,
  ISTIO_NAMESPACE,
  KEDA_NAMESPACE,
  MODEL_STORE_NAMESPACE,
  NETWORK_POLICY_NAMESPACE,
  NODE_CACHE_NAMESPACE,
  SPARE_NAMESPACE,
} from "../names/namespaces";
import { PLAN_CONFIG_MAP } from "../names/plan-record";
import { isCached } from "../planner/storage";
import type { ActiveAddon } from "./addons/addon";
import type { Planned } from "./addons/contract";
import { gpuSoftware } from "./gpu-software";
import { karpenter } from "./karpenter";
import { keepsSpareReplicas, runsKeda } from "./scaled-models";

/** Namespaces that the platform creates. Others in connections exist already. */
export function platformNamespaces(
  planned: Planned & { readonly cluster: Pick<Cluster, "networkPolicies" | "gpuSoftware" | "pools" | "aws"> },
  addons: readonly Pick<ActiveAddon, "namespaces">[],
): string[] {
  const { environment, plan, cluster } = planned;
  return [
    PLAN_CONFIG_MAP.namespace,
    ...(cluster.networkPolicies === "platform" ? [NETWORK_POLICY_NAMESPACE] : []),
    ...(gpuSoftware(planned)?.by === "platform" ? [GPU_SOFTWARE_NAMESPACE] : []),
    ...(environment.mesh.mode === "off" ? [] : [ISTIO_NAMESPACE]),
    ...(karpenter(planned) ? [AWS_ACCOUNTS.karpenter.namespace] : []),
    ...(cluster.aws ? [AWS_ACCOUNTS.loadBalancers.namespace] : []),
    ...rdmaDeviceNamespaces(cluster),
    ...(environment.gateway.controller ? [] : [ENVOY_GATEWAY_NAMESPACE]),
    AI_GATEWAY_NAMESPACE,
    ...(environment.cluster.certManager === "platform" ? [CERT_MANAGER_NAMESPACE] : []),
    ...(plan.storage.backend === "none" ? [] : [MODEL_STORE_NAMESPACE]),
    ...(plan.models.some(isCached) ? [NODE_CACHE_NAMESPACE] : []),
    ...gateNamespaces(plan.pools),
    ...servingNamespaces(plan.models, plan.stage),
    ...(keepsSpareReplicas(plan.models) ? [SPARE_NAMESPACE] : []),
    GATEWAY_NAMESPACE,
    ...(runsKeda(plan.models) ? [KEDA_NAMESPACE] : []),
    ...addons.flatMap((addon) => addon.namespaces(planned) ?? []),
  ];
}
