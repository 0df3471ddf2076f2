/** Name of the Gateway, and of its proxies' Deployment and Service. */
export const GATEWAY_NAME = "inference";

/**
 * Secret of an issued gateway certificate: `tls.crt`, `tls.key` and, from a private authority,
 * `ca.crt`.
 */
export const ISSUED_SECRET = "gateway-tls";

/** Caller's name, set by the gateway after authentication; removed from client requests. */
export const CONSUMER_HEADER = "x-consumer-id";
/** Same for backends that expect this name; never from clients, nor to external servers. */
export const TENANT_HEADER = "x-tenant-id";
/**
 * Tenant of a token, for `scripts/caller.lua`. Not the consumer header: Envoy's token filter clears
 * its headers on every request, even with an API key (1.40, `claim_to_headers`).
 */
export const TOKEN_CONSUMER_HEADER = "x-token-consumer";
