import { BETA9_NAMESPACE } from "../../names/namespaces";
import { serviceNamespace } from "../../names/service-host";
import { type Connection, connect, type End, podsIn } from "../core/connections";
import { anyAddress, type ClusterNetworks, internet, toKubernetesApi } from "../core/network";
import { MODEL_STORE_HOST, modelStorePods } from "../storage/store-layout";
import { type Backend, type ObjectStore, storeAddress } from "./backends";
import { GATEWAY_PORTS, gatewayPods } from "./names";

type Address = Pick<Backend, "host" | "port">;

export interface Beta9Connections {
  readonly backends: {
    readonly postgres: Address;
    readonly redis: Address;
    readonly juicefsRedis: Address;
    readonly s3: Pick<ObjectStore, "endpoint">;
  };
  /** Namespaces whose pods may call the gateway. */
  readonly clients: readonly string[];
  readonly networks: ClusterNetworks;
}

/** Functions use their worker's address, so the same policies apply. */
export function beta9Connections({ backends, clients, networks }: Beta9Connections): Connection[] {
  const { postgres, redis, juicefsRedis, s3 } = backends;
  const everyPod = podsIn(BETA9_NAMESPACE);
  const store = storeAddress(s3);
  return [
    connect({
      name: "beta9-to-itself",
      reason: "Functions listen on ports of their worker that are not known in advance",
      from: everyPod,
      to: everyPod,
    }),
    toKubernetesApi("beta9", gatewayPods, networks),
    connect({
      name: "beta9-to-postgres",
      reason: "Beta9 keeps its state there",
      from: gatewayPods,
      to: hostEnds(postgres.host),
      ports: [postgres.port],
    }),
    connect({
      name: "beta9-to-redis",
      reason: "Beta9 keeps its queues there",
      from: gatewayPods,
      to: hostEnds(redis.host),
      ports: [redis.port],
    }),
    connect({
      name: "beta9-to-juicefs-redis",
      reason: "Workers keep the metadata of their file system there",
      from: everyPod,
      to: hostEnds(juicefsRedis.host),
      ports: [juicefsRedis.port],
    }),
    connect({
      name: "beta9-to-object-store",
      reason: "Beta9 keeps the files of functions there",
      from: everyPod,
      to: hostEnds(store.host),
      ports: [store.port],
    }),
    connect({
      name: "beta9-to-internet",
      reason: "Images and packages of functions, and what functions call",
      from: everyPod,
      to: internet(networks),
      ports: [443],
    }),
    ...(clients.length > 0
      ? [
          connect({
            name: "clients-to-beta9",
            reason: "Namespaces that the environment names call functions",
            from: clients.map(podsIn),
            to: gatewayPods,
            ports: Object.values(GATEWAY_PORTS),
          }),
        ]
      : []),
  ];
}

/** The model store, a Service by its namespace, or any address but the metadata service. */
function hostEnds(host: string): End | readonly End[] {
  if (host === MODEL_STORE_HOST) {
    return modelStorePods;
  }
  const namespace = serviceNamespace(host);
  return namespace === undefined ? anyAddress() : podsIn(namespace);
}
