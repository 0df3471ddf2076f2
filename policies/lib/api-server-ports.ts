/**
 * Ports of webhooks and extension APIs. The API server calls them from addresses that no selector
 * matches, so they stay open; they authenticate by certificate. 443, 6443: extension APIs (KEDA's
 * `service.portHttpsTarget`, 6443); 9443: controller-runtime (webhook.DefaultPort of v0.24.1);
 * 10250: cert-manager's `webhook.securePort` and the Prometheus operator's `tls.internalPort`,
 * which private clusters' firewalls allow; 15017: istiod; 8443: common use, no pinned chart read.
 * Values of the charts' repositories, read 2026-11-28.
 */
export const API_SERVER_PORTS: readonly number[] = [443, 6443, 8443, 9443, 10250, 15017];
