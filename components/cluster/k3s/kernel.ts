/** Settings of the machine itself that the kubelet needs. */

/**
 * What a kubelet with protectKernelDefaults insists on: it ends where the kernel has other values (CIS guide of k3s, k3s-io/docs@035acb0).
 * Out of memory, the kernel kills a process instead of stopping, and a kernel that has failed starts anew after ten seconds.
 */
const KUBELET_KERNEL: Readonly<Record<string, number>> = {
  "vm.panic_on_oom": 0,
  "vm.overcommit_memory": 1,
  "kernel.panic": 10,
  "kernel.panic_on_oops": 1,
};

/** As sysctl reads it. */
export function kernelSettings(): string {
  return Object.entries(KUBELET_KERNEL)
    .map(([key, value]) => `${key}=${value}\n`)
    .join("");
}

/**
 * As systemd-logind reads it. A kubelet that may delay a shutdown for longer than logind allows would write a file of its own
 * there, which nobody would take away again.
 *
 * @param seconds that pods may need to end when the machine goes down.
 */
export function shutdownDelay(seconds: number): string {
  return `[Login]\nInhibitDelayMaxSec=${seconds}\n`;
}
