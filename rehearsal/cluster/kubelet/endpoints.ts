import type { KubernetesObject } from "../../../kubernetes/object";
import { serviceFqdn } from "../../../names/service-host";
import type { ApiClient } from "../api-client";
import type { NameServer } from "./name-server";

/**
 * Adds a pod to the names of its Services. Names resolve to pod addresses, so Service and pod ports
 * must match.
 *
 * @returns idempotent function that removes it.
 */
export async function joinServices(
  client: ApiClient,
  names: NameServer,
  { metadata }: KubernetesObject,
  address: string,
): Promise<() => void> {
  const services = (await client.list("v1", "Service")).filter(
    (service) => service.metadata.namespace === metadata.namespace && selects(service, metadata.labels ?? {}),
  );
  const hosts = services.map((service) => serviceFqdn(service.metadata.name, service.metadata.namespace ?? ""));
  for (const host of hosts) {
    names.set(host, [...names.addresses(host), address]);
  }
  return () => {
    for (const host of hosts) {
      names.set(
        host,
        names.addresses(host).filter((each) => each !== address),
      );
    }
  };
}

function selects({ spec }: KubernetesObject, labels: Readonly<Record<string, string>>): boolean {
  const { selector = {} } = (spec ?? {}) as { readonly selector?: Readonly<Record<string, string>> };
  const wanted = Object.entries(selector);
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}
