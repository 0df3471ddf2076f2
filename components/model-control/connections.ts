import { VALKEY_PORT } from "../../names/services";
import { type Connection, connect, type TracePods } from "../core/connections";
import { type ClusterNetworks, toKubernetesApi } from "../core/network";
import { outsideEnds, serverAt } from "../core/outside";
import type { ModelEndpoint } from "../serving/endpoint";
import { MODEL_CONTROL_PORTS, modelControlPods, modelRelayPods, queuePods, warmModelsPods } from "./names";
import type { OutsideWorker } from "./outside-worker";
import { relayedEndpoints, relayedWorkers } from "./relay-settings";

export interface ModelControlConnections {
  /** Models of the environment; the API controls engines with `control`. */
  readonly endpoints: readonly ModelEndpoint[];
  /** Engines outside the cluster. @default none */
  readonly workers?: readonly OutsideWorker[];
  readonly networks: Pick<ClusterNetworks, "apiServerCidrs" | "privateCidrs">;
  /** Whether a Job prefetches models. */
  readonly warmModels: boolean;
  /** Where the API reports spans. @default none */
  readonly traces?: TracePods | undefined;
}

/**
 * Connections of the model control API, and of its Job to it. `kubectl port-forward` needs none.
 */
export function modelControlConnections({
  endpoints,
  workers = [],
  networks,
  warmModels,
  traces,
}: ModelControlConnections): Connection[] {
  return [
    connect({
      name: "model-control-to-queue",
      reason: "The API keeps its tasks and the fleet's state in the queue",
      from: modelControlPods,
      to: queuePods,
      ports: [VALKEY_PORT],
    }),
    ...(traces
      ? [
          connect({
            name: "model-control-to-trace-collector",
            reason: "The model control API reports the spans of its requests and tasks",
            from: modelControlPods,
            to: traces.pods,
            ports: [traces.httpPort],
          }),
        ]
      : []),
    // To stop and start workers.
    toKubernetesApi("model-control", modelControlPods, networks),
    ...endpoints
      .filter(({ control }) => control !== undefined)
      .map((endpoint) =>
        connect({
          name: `model-control-to-model-${endpoint.model}`,
          reason: "The model control API pulls, loads and unloads models in the engine",
          from: modelControlPods,
          to: endpoint,
          ports: Object.values(endpoint.ports),
        }),
      ),
    ...workers.map(({ name, address }) =>
      connect({
        name: `model-control-to-worker-${name}`,
        reason: "The model control API drives engines outside, at their addresses alone",
        from: modelControlPods,
        to: outsideEnds(address, networks),
        ports: [serverAt(address).port],
      }),
    ),
    ...relayedEndpoints(endpoints).map((endpoint) =>
      connect({
        name: `model-relay-to-model-${endpoint.model}`,
        reason: "The relay asks the engine what it has, and hands it the requests for that",
        from: modelRelayPods,
        to: endpoint,
        ports: Object.values(endpoint.ports),
      }),
    ),
    ...relayedWorkers(workers).map(({ name, address }) =>
      connect({
        name: `model-relay-to-worker-${name}`,
        reason: "The relay hands engines outside the requests for what they have, at their addresses alone",
        from: modelRelayPods,
        to: outsideEnds(address, networks),
        ports: [serverAt(address).port],
      }),
    ),
    ...(warmModels
      ? [
          connect({
            name: "warm-models-to-model-control",
            reason: "The Job that has models fetched calls the API",
            from: warmModelsPods,
            to: modelControlPods,
            ports: [MODEL_CONTROL_PORTS.http],
          }),
        ]
      : []),
  ];
}
