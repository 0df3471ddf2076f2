/** DNS name of a Service, resolvable in pods with a search list. */
export function serviceHost(service: string, namespace: string): string {
  return `${service}.${namespace}.svc`;
}

/**
 * Fully qualified name, for resolvers without a search list such as Envoy's; default cluster
 * domain.
 */
export function serviceFqdn(service: string, namespace: string): string {
  return `${serviceHost(service, namespace)}.cluster.local`;
}

/** Namespace in a Service host name, fully qualified or up to `.svc`; undefined for others. */
export function serviceNamespace(host: string): string | undefined {
  return /^[a-z0-9-]+\.([a-z0-9-]+)\.svc(\.|$)/.exec(host)?.[1];
}
