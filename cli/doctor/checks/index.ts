import { agents } from "./agents";
import type { Check } from "./check";
import { controllers, gatewayApi } from "./controllers";
import { dns, dnsCache } from "./dns";
import { externalMetrics } from "./external-metrics";
import { gatewaySettings } from "./gateway-settings";
import { gpuDrivers, oneDevicePlugin, rdmaDevices, sharingIsLabelled } from "./gpu-software";
import { awsLoadBalancers } from "./load-balancer";
import { mesh } from "./mesh";
import { networkPolicies } from "./network-policies";
import { nodeSoftware } from "./node-software";
import { podAddresses } from "./pod-addresses";
import { platformNodes, pools } from "./pools";
import { rdmaAddresses } from "./rdma-addresses";
import { rights } from "./rights";
import { runtimeClasses } from "./runtime-class";
import { storageClasses } from "./storage-class";
import { kubeletVersions, kubernetesVersion } from "./version";

/** In the order of docs/environments/README.md ("The cluster must exist"). */
export const CLUSTER_CHECKS: readonly Check[] = [
  kubernetesVersion,
  kubeletVersions,
  networkPolicies,
  dns,
  dnsCache,
  podAddresses,
  storageClasses,
  platformNodes,
  pools,
  nodeSoftware,
  oneDevicePlugin,
  gpuDrivers,
  sharingIsLabelled,
  rdmaDevices,
  rdmaAddresses,
  runtimeClasses,
  controllers,
  agents,
  gatewayApi,
  gatewaySettings,
  awsLoadBalancers,
  externalMetrics,
  mesh,
  rights,
];
