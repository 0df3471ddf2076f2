import { PORTAINER_NAMESPACE } from "./namespaces";

/** Service other than the gateway's that is reachable on nodes. */
export interface Entrance {
  readonly namespace: string;
  readonly service: string;
  readonly reason: string;
}

/**
 * Complete list. Each must keep caller addresses (`externalTrafficPolicy: Local`), as
 * NetworkPolicies match them.
 */
export const ENTRANCES: readonly Entrance[] = [
  {
    namespace: PORTAINER_NAMESPACE,
    service: "portainer-agent-nodes",
    reason:
      "A Portainer server outside of the cluster connects to its agent: a NetworkPolicy lets in the server's networks alone, and requests are signed",
  },
];
