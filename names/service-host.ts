/** DNS name of a Service, as pods of any namespace resolve it by the search list of their resolver. */
export function serviceHost(service: string, namespace: string): string {
  return `${service}.${namespace}.svc`;
}

/** The same in full, for who resolves without a search list, as Envoy does; in clusters of the usual domain. */
export function serviceFqdn(service: string, namespace: string): string {
  return `${serviceHost(service, namespace)}.cluster.local`;
}

/** Namespace of the Service that a host name names, in full or as far as `.svc`; undefined for what is none. */
export function serviceNamespace(host: string): string | undefined {
  return /^[a-z0-9-]+\.([a-z0-9-]+)\.svc(\.|$)/.exec(host)?.[1];
}
