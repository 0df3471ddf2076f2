/** Frequent health and version requests. */
const ENDLESS_PATHS = [
  "/healthz*",
  "/livez*",
  "/readyz*",
  "/version",
  "/openapi/*",
  "/api",
  "/api/*",
  "/apis",
  "/apis/*",
];

/**
 * API server audit policy as plain data (`audit.k8s.io/v1`); the first matching rule applies. Logs
 * metadata only, because content may be secret, except for RBAC objects.
 */
export function auditPolicy(): object {
  return {
    apiVersion: "audit.k8s.io/v1",
    kind: "Policy",
    // One entry per request, written with the response.
    omitStages: ["RequestReceived"],
    rules: [
      { level: "None", nonResourceURLs: ENDLESS_PATHS, verbs: ["get"] },
      // Frequent heartbeats of components.
      { level: "None", resources: [{ group: "coordination.k8s.io", resources: ["leases"] }] },
      { level: "None", resources: [{ group: "", resources: ["events"] }, { group: "events.k8s.io" }] },
      { level: "None", verbs: ["watch"], userGroups: ["system:nodes", "system:serviceaccounts:kube-system"] },
      {
        level: "Request",
        verbs: ["create", "update", "patch", "delete", "deletecollection"],
        resources: [{ group: "rbac.authorization.k8s.io" }],
      },
      { level: "Metadata" },
    ],
  };
}
