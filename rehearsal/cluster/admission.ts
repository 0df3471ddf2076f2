import { describeObject, type KubernetesObject } from "../../kubernetes/object";
import type { ApiClient } from "./api-client";
import { waitFor } from "./wait";

/** Waits for prerequisites of pod admission: default service accounts and computed quotas. */
export async function admissionReady(client: ApiClient, objects: readonly KubernetesObject[]): Promise<void> {
  const accounts = objects
    .filter(({ kind }) => kind === "Namespace")
    .map(({ metadata }) => ({
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "default", namespace: metadata.name },
    }));
  await Promise.all(accounts.map((account) => waitFor(describeObject(account), () => client.get(account))));
  const quotas = objects.filter(({ kind }) => kind === "ResourceQuota");
  await Promise.all(
    quotas.map((quota) =>
      waitFor(`the usage of ${describeObject(quota)}`, async () => {
        const found = (await client.get(quota)) as { readonly status?: { readonly used?: object } } | undefined;
        return found?.status?.used;
      }),
    ),
  );
}
