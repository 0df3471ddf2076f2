/** Ports of nodes at which the gateway answers, where networks around them must know the ports before it is there. */
export const GATEWAY_NODE_PORTS = { https: 30443, http: 30080 } as const;
