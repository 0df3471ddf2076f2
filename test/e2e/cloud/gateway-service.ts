import { GATEWAY_NAME } from "../../../components/gateway/names";
import type { KubernetesObject } from "../../../kubernetes/object";
import { GATEWAY_NAMESPACE } from "../../../names/namespaces";
import type { ApiClient } from "../../../rehearsal/cluster/api-client";
import { waitFor } from "../../../rehearsal/cluster/wait";

const SERVICE: KubernetesObject = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: GATEWAY_NAME, namespace: GATEWAY_NAMESPACE },
  spec: { type: "LoadBalancer", selector: { app: "proxy" }, ports: [{ name: "https", port: 443 }] },
};

/**
 * Makes the proxies' Service as Envoy Gateway does: in the Gateway's namespace and name, owned by the Gateway, so that the garbage
 * collector takes it away with its owner. Returns once the cloud gave it an address.
 */
export async function makeGatewayService(client: ApiClient): Promise<void> {
  const [gateway] = await client.list("gateway.networking.k8s.io/v1", "Gateway");
  if (gateway === undefined) {
    throw new Error("the platform has no Gateway");
  }
  const { apiVersion, kind } = gateway;
  const { name, uid } = gateway.metadata;
  await client.create({
    ...SERVICE,
    metadata: { ...SERVICE.metadata, ownerReferences: [{ apiVersion, kind, name, uid }] },
  } as KubernetesObject);
  await waitFor("the load balancer", async () => {
    const { loadBalancer } = ((await client.get(SERVICE))?.status ?? {}) as {
      readonly loadBalancer?: { readonly ingress?: readonly object[] };
    };
    return loadBalancer?.ingress?.[0];
  });
}
