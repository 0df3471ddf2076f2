import { GPU_SOFTWARE_NAMESPACE } from "../../names/namespaces";
import { type Connection, connect, podsIn } from "../core/connections";
import { type ClusterNetworks, internet, toKubernetesApi } from "../core/network";

/** Driver pods, by the operator's labels. */
const DRIVER_PODS = {
  namespace: GPU_SOFTWARE_NAMESPACE,
  podLabels: { "app.kubernetes.io/component": "nvidia-driver" },
};

/**
 * Connections of GPU software: Kubernetes API, and driver downloads. Kubelet communication uses
 * node sockets.
 */
export function gpuSoftwareConnections(
  { makesDrivers }: { readonly makesDrivers: boolean },
  networks: ClusterNetworks,
): Connection[] {
  return [
    toKubernetesApi("gpu-software", podsIn(GPU_SOFTWARE_NAMESPACE), networks),
    ...(makesDrivers
      ? [
          connect({
            name: "gpu-drivers-to-packages",
            reason: "Drivers are compiled against the node's kernel, whose packages its distribution serves",
            from: DRIVER_PODS,
            to: internet(networks),
            ports: [80, 443],
          }),
        ]
      : []),
  ];
}
