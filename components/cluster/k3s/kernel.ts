/** Machine settings that the kubelet needs. */

/**
 * Values that a kubelet with protectKernelDefaults requires to start (CIS guide of k3s,
 * k3s-io/docs@035acb0). On memory exhaustion the kernel kills a process; after a panic it restarts
 * in ten seconds.
 */
const KUBELET_KERNEL: Readonly<Record<string, number>> = {
  "vm.panic_on_oom": 0,
  "vm.overcommit_memory": 1,
  "kernel.panic": 10,
  "kernel.panic_on_oops": 1,
};

/** In sysctl format. */
export function kernelSettings(): string {
  return Object.entries(KUBELET_KERNEL)
    .map(([key, value]) => `${key}=${value}\n`)
    .join("");
}

/**
 * In systemd-logind format. A kubelet with a longer shutdown delay than logind allows would write
 * its own file there, which would remain after removal.
 *
 * @param seconds that pods may need to end on shutdown.
 */
export function shutdownDelay(seconds: number): string {
  return `[Login]\nInhibitDelayMaxSec=${seconds}\n`;
}
