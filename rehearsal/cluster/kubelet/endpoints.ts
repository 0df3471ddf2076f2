import type { KubernetesObject } from "../../../kubernetes/object";
import { serviceFqdn } from "../../../names/service-host";
import type { ApiClient } from "../api-client";
import type { NameServer } from "./name-server";

/**
 * Names of the Services that select a pod lead to it, beside other pods of theirs. Without cluster addresses: a name
 * has the pods' own, so a Service's port must be the pod's.
 *
 * @returns what takes the pod away again; more than once does no harm.
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
