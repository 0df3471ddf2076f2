/**
 * Ports at which webhooks and extension APIs listen: the API server calls them from addresses that no selector matches, so everybody may
 * come, and they ask for its certificate. From general knowledge, to be compared with: values of the pinned charts of cert-manager and the Prometheus operator (10250),
 * controller-runtime's default (9443), istiod (15017), KEDA's metrics server (6443).
 */
export const API_SERVER_PORTS: readonly number[] = [443, 6443, 8443, 9443, 10250, 15017];
