/** Name of the Gateway; Envoy Gateway gives it to the proxies' Deployment and Service too. */
export const GATEWAY_NAME = "inference";

/** Secret of the gateway's certificate, where the platform has it issued: `tls.crt`, `tls.key` and, of a private authority, `ca.crt`. */
export const ISSUED_SECRET = "gateway-tls";
