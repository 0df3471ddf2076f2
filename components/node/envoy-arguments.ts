/**
 * A node's Envoy needs no writable folder: no shared memory or socket, logs to the standard
 * streams. It ends at once on SIGTERM: Kubernetes stops a native sidecar after the engine (kubelet,
 * terminationOrdering).
 */
export const ENVOY_ARGUMENTS: readonly string[] = [
  "--disable-hot-restart",
  // Has a quarter of a core: the default is one thread, with memory, per core of the machine.
  "--concurrency",
  "1",
  "--log-level",
  "warning",
  // Access log flush interval: the default of 10 s is too slow during incidents.
  "--file-flush-interval-msec",
  "1000",
];
