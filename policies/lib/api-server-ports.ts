/**
 * Ports at which webhooks and extension APIs listen: the API server calls them from addresses that no selector matches, so everybody may
 * come, and they ask for its certificate. 443 and 6443 are those of
 * extension APIs (KEDA's `service.portHttpsTarget`, 6443), 9443 is controller-runtime's (webhook.DefaultPort of v0.24.1), 10250 cert-manager's `webhook.securePort`
 * and the Prometheus operator's `tls.internalPort`, both chosen as firewalls of private clusters let it through, 15017 istiod's, 8443 one in common
 * use, which no pinned chart was read to have. Values of the charts' repositories, read 2026-11-28.
 */
export const API_SERVER_PORTS: readonly number[] = [443, 6443, 8443, 9443, 10250, 15017];
