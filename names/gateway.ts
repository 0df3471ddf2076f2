/** Name of the Gateway; Envoy Gateway gives it to the proxies' Deployment and Service too. */
export const GATEWAY_NAME = "inference";

/** Secret of the gateway's certificate, where the platform has it issued: `tls.crt`, `tls.key` and, of a private authority, `ca.crt`. */
export const ISSUED_SECRET = "gateway-tls";

/** Header in which the gateway names the caller: set after its API key was checked, removed when a client sends it. */
export const CONSUMER_HEADER = "x-consumer-id";
/** Header that tells backends who calls: the same, under the name that they know it by; never a client's, and never for servers outside. */
export const TENANT_HEADER = "x-tenant-id";
/**
 * Header in which the tenant of a token waits for `scripts/caller.lua`. Envoy's filter of tokens removes what it writes from every
 * request first, those with a key too (1.40, `claim_to_headers`), so this is not the consumer's.
 */
export const TOKEN_CONSUMER_HEADER = "x-token-consumer";
