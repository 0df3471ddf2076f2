import { type ApiAccess, ApiClient } from "./api-client";

const CLUSTER = "e2e";

/** Kubeconfig of one cluster, in JSON, which is valid YAML. */
export function kubeconfigOf({ address = "127.0.0.1", port, ca, token }: ApiAccess): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": CLUSTER,
    contexts: [{ name: CLUSTER, context: { cluster: CLUSTER, user: "admin" } }],
    clusters: [
      {
        name: CLUSTER,
        cluster: {
          server: `https://${address}:${port}`,
          "certificate-authority-data": Buffer.from(ca).toString("base64"),
        },
      },
    ],
    users: [{ name: "admin", user: { token } }],
  });
}

/** Connection data of a kubeconfig from `kubeconfigOf`. */
export function accessOf(kubeconfig: string): ApiAccess {
  const { clusters, users } = JSON.parse(kubeconfig) as {
    readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
    readonly users: readonly { readonly user: { readonly token: string } }[];
  };
  const { server = "", "certificate-authority-data": ca = "" } = clusters[0]?.cluster ?? {};
  const { hostname, port } = new URL(server);
  return {
    address: hostname,
    port: Number(port),
    ca: Buffer.from(ca, "base64").toString("utf8"),
    token: users[0]?.user.token ?? "",
  };
}

/** Client for a kubeconfig from `kubeconfigOf`. */
export function connect(kubeconfig: string): ApiClient {
  return new ApiClient(accessOf(kubeconfig));
}
