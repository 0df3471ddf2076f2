/**
 * Node addresses of DNS caches: NodeLocal DNSCache in Kubernetes' manifest
 * (cluster/addons/dns/nodelocaldns), and Kubespray's `nodelocaldns_ip`.
 */
export const DNS_CACHES: readonly string[] = ["169.254.20.10/32", "169.254.25.10/32"];
