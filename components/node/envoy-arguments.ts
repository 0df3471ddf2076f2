/**
 * How a node's Envoy is started, besides its configuration. It needs no writable folder: nothing of it is handed to a next process (no shared memory,
 * no socket), and it logs to its standard streams. On SIGTERM it ends at once, which is right for a native sidecar: Kubernetes sends it when the engine
 * has ended (kubelet, terminationOrdering), so nothing runs through it any more.
 */
export const ENVOY_ARGUMENTS: readonly string[] = [
  "--disable-hot-restart",
  // Of a quarter of a core: the default is a thread, with memory of its own, for each core of the machine.
  "--concurrency",
  "1",
  "--log-level",
  "warning",
  // The access log is written when so much time has passed, by default 10 s: whoever reads it during an incident has waited long enough.
  "--file-flush-interval-msec",
  "1000",
];
