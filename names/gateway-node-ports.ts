/** Fixed node ports of the gateway, for networks configured before it exists. */
export const GATEWAY_NODE_PORTS = { https: 30443, http: 30080 } as const;
