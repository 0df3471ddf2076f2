import { keptFromPods } from "../../../planner/pod-resources";
import type { PoolPlan } from "../../../planner/types";
import { pinnedCpus } from "../cpu-placement";
import { CIPHER_SUITES } from "./tls";

export interface KubeletSettings {
  readonly pool: Pick<PoolPlan, "shape" | "numa">;
  /** Longest time that planned pods may need to end. */
  readonly leavingSeconds: number;
}

/** Shutdown time reserved for critical pods: DNS, network, storage. */
const CRITICAL_PODS_SECONDS = 30;

/** Free memory below which the kubelet evicts a pod, MiB, before the kernel kills a process. */
const EVICTION_MIB = 256;

/**
 * PID limit of a pod. An engine has a few hundred per GPU; a kernel with 32 cores allows at least
 * 32,768.
 */
const POD_PIDS = 16_384;

/** Maximum delay of a shutdown by the kubelet, seconds. */
export function shutdownSeconds({ leavingSeconds }: Pick<KubeletSettings, "leavingSeconds">): number {
  return leavingSeconds + CRITICAL_PODS_SECONDS;
}

/**
 * Additional kubelet settings as plain data (`kubelet.config.k8s.io/v1beta1` of Kubernetes 1.36).
 * In maps, other keys keep k3s' values (pkg/daemons/agent/agent.go). Its `evictionHard` covers only
 * disks and disables the kubelet's defaults, so memory must be set here.
 */
export function kubeletConfig({ pool, leavingSeconds }: KubeletSettings): object {
  const kept = keptFromPods(pool.shape);
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    ...pinnedCpus(pool),
    // As plans assume. The static policy reserves whole CPUs of it for the system.
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
    // Removes unused images long before pods are evicted.
    imageGCHighThresholdPercent: 85,
    imageGCLowThresholdPercent: 80,
    podPidsLimit: POD_PIDS,
    // Applies to pods without a profile, including those of k3s.
    seccompDefault: true,
    shutdownGracePeriod: `${shutdownSeconds({ leavingSeconds })}s`,
    shutdownGracePeriodCriticalPods: `${CRITICAL_PODS_SECONDS}s`,
    streamingConnectionIdleTimeout: "5m",
    tlsCipherSuites: CIPHER_SUITES,
    tlsMinVersion: "VersionTLS12",
  };
}
