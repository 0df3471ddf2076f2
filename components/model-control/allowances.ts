import { type Allowance, type ClusterNetworks, kubernetesApi, type Peer, podsOf } from "../core/network";
import type { ModelEndpoint } from "../serving/endpoint";
import { MODEL_CONTROL_PORTS, modelControlPods, QUEUE_PORT, queuePodLabels, warmModelsPodLabels } from "./names";

export interface ModelControlConnections {
  /** Models whose engines the API drives. */
  readonly endpoints: readonly ModelEndpoint[];
  readonly networks: Pick<ClusterNetworks, "apiServerCidrs">;
  /** Prometheus. */
  readonly observability: Peer;
  /** Who may call the API, besides the Job that fetches the warm models; each by the reason's name. */
  readonly clients: readonly { readonly name: string; readonly peer: Peer }[];
  /** Whether there is such a Job. */
  readonly warmModels: boolean;
}

/** Everything that the namespace of the model control API lets through. `kubectl port-forward` needs no allowance. */
export function modelControlAllowances(args: ModelControlConnections): Allowance[] {
  const { podLabels: api } = modelControlPods;
  const http = [{ port: MODEL_CONTROL_PORTS.http }];
  const queue = [{ port: QUEUE_PORT }];
  return [
    {
      name: "queue",
      reason: "The API keeps its tasks and the fleet's state in the queue",
      pods: api,
      to: [{ pods: queuePodLabels }],
      ports: queue,
    },
    {
      name: "queue-clients",
      reason: "The API keeps its tasks and the fleet's state here",
      pods: queuePodLabels,
      from: [{ pods: api }],
      ports: queue,
    },
    // To stop and start workers.
    kubernetesApi("kubernetes-api", api, args.networks),
    {
      name: "metrics",
      reason: "Prometheus reads the API's metrics",
      pods: api,
      from: [args.observability],
      ports: [{ port: MODEL_CONTROL_PORTS.metrics }],
    },
    ...args.endpoints.map((endpoint) => ({
      name: `model-${endpoint.model}`,
      reason: `The API pulls, loads and unloads models in the engine of ${endpoint.model}`,
      pods: api,
      to: [podsOf(endpoint)],
      ports: [{ port: endpoint.port }],
    })),
    ...args.clients.map(({ name, peer }) => ({
      name,
      reason: `Callers of the API: ${name}`,
      pods: api,
      from: [peer],
      ports: http,
    })),
    ...(args.warmModels
      ? [
          {
            name: "warm-models",
            reason: "The Job that has models fetched calls the API",
            pods: warmModelsPodLabels,
            to: [{ pods: api }],
            ports: http,
          },
          {
            name: "warm-models-in",
            reason: "The Job that has models fetched calls the API",
            pods: api,
            from: [{ pods: warmModelsPodLabels }],
            ports: http,
          },
        ]
      : []),
  ];
}
