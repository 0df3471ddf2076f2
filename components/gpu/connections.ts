import { GPU_SOFTWARE_NAMESPACE } from "../../names/namespaces";
import { type Connection, connect, podsIn } from "../core/connections";
import { type ClusterNetworks, internet, toKubernetesApi } from "../core/network";

/** Pods of the driver, as the operator labels them. */
const DRIVER_PODS = {
  namespace: GPU_SOFTWARE_NAMESPACE,
  podLabels: { "app.kubernetes.io/component": "nvidia-driver" },
};

/**
 * What the software of GPUs connects to: the Kubernetes API, and what drivers are made of. Kubelets ask and are told through
 * sockets of their nodes.
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
