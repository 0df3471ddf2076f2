import { PORTAINER_NAMESPACE } from "./namespaces";

/** A Service besides the gateway's that answers at nodes. */
export interface Entrance {
  readonly namespace: string;
  readonly service: string;
  readonly reason: string;
}

/** The only ones. Each must keep its callers' addresses (`externalTrafficPolicy: Local`), by which a NetworkPolicy lets them in. */
export const ENTRANCES: readonly Entrance[] = [
  {
    namespace: PORTAINER_NAMESPACE,
    service: "portainer-agent-nodes",
    reason:
      "A Portainer server outside of the cluster connects to its agent: a NetworkPolicy lets in the server's networks alone, and requests are signed",
  },
];
