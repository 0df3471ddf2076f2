import type { ProviderFunction } from "./answers";

/** What Oracle Cloud's functions answer in an offline run, in the form that the real ones have. */
export const OCI_CALLS: Readonly<Record<string, ProviderFunction>> = {
  "oci:ContainerEngine/getClusterKubeConfig:getClusterKubeConfig": (inputs) => ({
    ...inputs,
    content: kubeconfig(String(inputs.clusterId)),
  }),
};

function kubeconfig(clusterId: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "cluster", cluster: { server: "https://10.0.0.2:6443", "certificate-authority-data": "" } }],
    contexts: [{ name: "context", context: { cluster: "cluster", user: "user" } }],
    "current-context": "context",
    users: [
      {
        name: "user",
        user: {
          exec: {
            apiVersion: "client.authentication.k8s.io/v1beta1",
            command: "oci",
            args: ["ce", "cluster", "generate-token", "--cluster-id", clusterId],
          },
        },
      },
    ],
  });
}
