/** A node's Envoy refuses requests before it runs out of memory. */
import { NODE_PROXY } from "../../planner/sidecars";
import { extension } from "./envoy-extension";

/**
 * Concurrent client connections, and as many to the engine: more than engines process (vLLM: 1024
 * at most by default).
 */
export const NODE_CONNECTIONS = 1024;

/** Bytes buffered in Envoy per direction of a connection before back pressure. */
export const BUFFER_BYTES = 32_768;

/**
 * Kernel buffers count as container memory, up to some MiB per connection: over a GiB with slow
 * readers (test/e2e/node/hostile.test.ts). So both are as large as Envoy's, enough for gigabits
 * within a cluster.
 */
export const SOCKET_OPTIONS = [socketOption("SO_SNDBUF", 7), socketOption("SO_RCVBUF", 8)] as const;

/**
 * @param name option number on Linux (include/uapi/asm-generic/socket.h); the kernel doubles the
 *   value.
 */
function socketOption(description: string, name: number) {
  return { description, level: 1, name, int_value: BUFFER_BYTES, state: "STATE_PREBIND" };
}

/**
 * Share of container memory for Envoy's heap: all buffers of all connections fit in it, and again
 * in the kernel's.
 */
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
