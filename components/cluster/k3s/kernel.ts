/**
 * Required by a kubelet with protectKernelDefaults (CIS guide of k3s, k3s-io/docs@035acb0). Without
 * memory the kernel kills a process; after a panic it restarts in ten seconds.
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
 * In systemd-logind format. With a longer delay than logind's, the kubelet would write its own file
 * there, which removal leaves.
 *
 * @param seconds that pods may need to end on shutdown.
 */
export function shutdownDelay(seconds: number): string {
  return `[Login]\nInhibitDelayMaxSec=${seconds}\n`;
}
