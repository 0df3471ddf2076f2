import { type Allowance, anyAddress, type ClusterNetworks, internet, kubernetesApi, type Peer } from "../core/network";
import { type Backends, storeAddress } from "./backends";
import { GATEWAY_PORTS, gatewayPods } from "./names";

export interface Beta9Connections {
  readonly backends: Backends;
  /** Namespaces whose pods may call the gateway. */
  readonly clients: readonly string[];
  readonly networks: ClusterNetworks;
}

/**
 * Everything that Beta9 may connect to, and who may connect to it. What functions do goes through their worker's
 * address, so it is bound by the same policies.
 */
export function beta9Allowances({ backends, clients, networks }: Beta9Connections): Allowance[] {
  const { postgres, redis, juicefsRedis, s3 } = backends;
  const store = storeAddress(s3);
  const gatewayPorts = Object.values(GATEWAY_PORTS).map((port) => ({ port }));
  return [
    {
      name: "within",
      reason: "Functions listen on ports of their worker that nobody knows beforehand",
      pods: {},
      from: [{ pods: {} }],
    },
    {
      name: "to-within",
      reason: "Functions listen on ports of their worker that nobody knows beforehand",
      pods: {},
      to: [{ pods: {} }],
    },
    kubernetesApi("api-gateway", gatewayPods, networks),
    {
      name: "postgres",
      reason: "Beta9 keeps its state there",
      pods: gatewayPods,
      to: hostPeers(postgres.host),
      ports: [{ port: postgres.port }],
    },
    {
      name: "redis",
      reason: "Beta9 keeps its queues there",
      pods: gatewayPods,
      to: hostPeers(redis.host),
      ports: [{ port: redis.port }],
    },
    {
      name: "juicefs-redis",
      reason: "Workers keep the metadata of their file system there",
      pods: {},
      to: hostPeers(juicefsRedis.host),
      ports: [{ port: juicefsRedis.port }],
    },
    {
      name: "object-store",
      reason: "Workers keep the files of functions there",
      pods: {},
      to: hostPeers(store.host),
      ports: [{ port: store.port }],
    },
    {
      name: "internet",
      reason: "Images and packages of functions, and what functions call",
      pods: {},
      to: internet(networks),
      ports: [{ port: 443 }],
    },
    ...(clients.length > 0
      ? [
          {
            name: "clients",
            reason: "Namespaces that the environment names call functions",
            pods: gatewayPods,
            from: clients.map((namespace) => ({ namespace })),
            ports: gatewayPorts,
          },
        ]
      : []),
  ];
}

/** A Service of the cluster by its namespace; any other name may be anywhere but at the metadata service. */
function hostPeers(host: string): Peer[] {
  const namespace = /^[a-z0-9-]+\.([a-z0-9-]+)\.svc(\.|$)/.exec(host)?.[1];
  return namespace === undefined ? anyAddress() : [{ namespace }];
}
