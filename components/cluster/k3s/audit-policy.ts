/** Questions about health and versions, which anybody asks all the time. */
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
 * What of requests the API server writes down, as plain data (`audit.k8s.io/v1`); the first rule that matches counts. Who did what to
 * which object, but never its content, because Secrets and their like are among it. Content alone of rights, which hold no secret and which
 * somebody will ask for afterwards.
 */
export function auditPolicy(): object {
  return {
    apiVersion: "audit.k8s.io/v1",
    kind: "Policy",
    // A request is written down when it is answered, and not once more when it comes.
    omitStages: ["RequestReceived"],
    rules: [
      { level: "None", nonResourceURLs: ENDLESS_PATHS, verbs: ["get"] },
      // Heartbeats, several each second: nobody's decision.
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
