/**
 * Networks in CIDR form of the addresses on which caches of DNS listen on every node: that of Kubernetes' own manifest of NodeLocal
 * DNSCache (cluster/addons/dns/nodelocaldns), and Kubespray's `nodelocaldns_ip`.
 */
export const DNS_CACHES: readonly string[] = ["169.254.20.10/32", "169.254.25.10/32"];
