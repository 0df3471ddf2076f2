import { keptFromPods } from "../../../planner/pod-resources";
import type { PoolPlan } from "../../../planner/types";
import { pinnedCpus } from "../cpu-placement";
import { CIPHER_SUITES } from "./tls";

/** What of the plan a machine's kubelet follows. */
export interface KubeletSettings {
  readonly pool: Pick<PoolPlan, "shape" | "numa">;
  /** That pods of the plan may need to end, at most. */
  readonly leavingSeconds: number;
}

/** Of the time to end, what is left to pods that others need: DNS, the network, storage. */
const CRITICAL_PODS_SECONDS = 30;

/** Free memory of the machine at which the kubelet ends a pod, MiB: before the kernel kills a process of its own choice. */
const EVICTION_MIB = 256;

/**
 * Processes and threads of one pod. An engine has some hundred for each GPU; the kernel of a machine with 32 cores gives numbers
 * to 32,768 at least.
 */
const POD_PIDS = 16_384;

/** From the order to go down until the kubelet lets the machine, seconds. */
export function shutdownSeconds({ leavingSeconds }: Pick<KubeletSettings, "leavingSeconds">): number {
  return leavingSeconds + CRITICAL_PODS_SECONDS;
}

/**
 * What the kubelet is told besides k3s' own settings, as plain data (`kubelet.config.k8s.io/v1beta1` of Kubernetes 1.36). Of the maps, keys
 * that stand here count, and others stay as k3s has them (pkg/daemons/agent/agent.go): its `evictionHard` names disks alone, and a kubelet
 * with any of them has no other default, so memory would have none.
 */
export function kubeletConfig({ pool, leavingSeconds }: KubeletSettings): object {
  const kept = keptFromPods(pool.shape);
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    ...pinnedCpus(pool),
    // What plans count with. The static policy takes whole CPUs of it for the system.
    systemReserved: {
      cpu: `${Math.round(kept.cpu * 1000)}m`,
      memory: `${Math.max(0, Math.floor(kept.memoryGiB * 1024) - EVICTION_MIB)}Mi`,
    },
    evictionHard: {
      "memory.available": `${EVICTION_MIB}Mi`,
      "nodefs.available": "5%",
      "nodefs.inodesFree": "5%",
      "imagefs.available": "5%",
      "imagefs.inodesFree": "5%",
    },
    // Images that no pod uses go long before pods do.
    imageGCHighThresholdPercent: 85,
    imageGCLowThresholdPercent: 80,
    podPidsLimit: POD_PIDS,
    // Pods that name no profile, those of k3s among them.
    seccompDefault: true,
    shutdownGracePeriod: `${shutdownSeconds({ leavingSeconds })}s`,
    shutdownGracePeriodCriticalPods: `${CRITICAL_PODS_SECONDS}s`,
    streamingConnectionIdleTimeout: "5m",
    tlsCipherSuites: CIPHER_SUITES,
    tlsMinVersion: "VersionTLS12",
  };
}
