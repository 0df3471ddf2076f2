/** DNS name of a Service, as pods of any namespace resolve it by the search list of their resolver. */
export function serviceHost(service: string, namespace: string): string {
  return `${service}.${namespace}.svc`;
}

/** The same in full, for who resolves without a search list, as Envoy does; in clusters of the usual domain. */
export function serviceFqdn(service: string, namespace: string): string {
  return `${serviceHost(service, namespace)}.cluster.local`;
}
