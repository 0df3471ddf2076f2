/** What a node's Envoy does before its memory is full: it refuses, and is not killed. */
import { NODE_PROXY } from "../../planner/sidecars";
import { extension } from "./envoy-extension";

/** Connections of clients at a time, and as many to the engine: more than engines work on at a time (vLLM: 1024 at most by default). */
export const NODE_CONNECTIONS = 1024;

/** Bytes that wait in Envoy, in either direction of a connection, before whoever sends them must. */
export const BUFFER_BYTES = 32_768;

/**
 * What waits in the kernel is the container's memory too, and by itself the kernel takes up to some MiB for each connection: over a GiB where nobody reads
 * (test/e2e/node/hostile.test.ts). So both its buffers are as large as Envoy's; of a connection within a cluster that is enough for gigabits.
 */
export const SOCKET_OPTIONS = [socketOption("SO_SNDBUF", 7), socketOption("SO_RCVBUF", 8)] as const;

/** @param name number of the option on Linux (include/uapi/asm-generic/socket.h); the kernel doubles the value for its bookkeeping. */
function socketOption(description: string, name: number) {
  return { description, level: 1, name, int_value: BUFFER_BYTES, state: "STATE_PREBIND" };
}

/** Part of the container's memory that is Envoy's heap: all buffers of all connections fit twice, once there and once in the kernel's. */
const HEAP_SHARE = 0.5;

const HEAP_BYTES = Math.floor(NODE_PROXY.memoryGiB * 2 ** 30 * HEAP_SHARE);

const HEAP = "envoy.resource_monitors.fixed_heap";

export const OVERLOAD_MANAGER = {
  refresh_interval: "0.25s",
  resource_monitors: [
    extension(HEAP, "extensions.resource_monitors.fixed_heap.v3.FixedHeapConfig", { max_heap_size_bytes: HEAP_BYTES }),
    extension(
      "envoy.resource_monitors.global_downstream_max_connections",
      "extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig",
      { max_active_downstream_connections: NODE_CONNECTIONS },
    ),
  ],
  actions: [
    action("shrink_heap", 0.9),
    action("disable_http_keepalive", 0.92),
    action("stop_accepting_requests", 0.95),
    action("stop_accepting_connections", 0.98),
  ],
} as const;

function action(name: string, value: number) {
  return { name: `envoy.overload_actions.${name}`, triggers: [{ name: HEAP, threshold: { value } }] };
}
