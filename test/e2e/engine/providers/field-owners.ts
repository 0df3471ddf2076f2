import type { KubernetesObject } from "../../../../kubernetes/object";
import type { ApiClient } from "../../../../rehearsal/cluster/api-client";
import type { Properties } from "./secrets";

/** Owner of the fields that the official provider sets when it creates an object. */
export const CREATOR = "pulumi-kubernetes";
/** Owner of the fields that it applies later. The official provider makes up such a name for each object. */
export const APPLIER = "pulumi-kubernetes-e2e";

interface FieldOwner {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fieldsV1?: Properties;
  readonly [field: string]: unknown;
}

/** Whether this provider made or changed an object. */
export function isOwned(object: KubernetesObject): boolean {
  return ownersOf(object).some(({ manager }) => manager === CREATOR || manager === APPLIER);
}

/**
 * Makes the applier the owner of what the creator set: only what an applier owns goes away when it no longer applies
 * it.
 */
export async function takeOverFields(client: ApiClient, live: KubernetesObject): Promise<void> {
  const owners = ownersOf(live);
  const applied = owners.filter(isOurs);
  if (applied.every(({ operation }) => operation === "Apply")) {
    return;
  }
  const fieldsV1 = applied.reduce<Properties>((fields, owner) => union(fields, owner.fieldsV1 ?? {}), {});
  const applier = { ...applied[0], manager: APPLIER, operation: "Apply", fieldsV1 };
  const managedFields = [...owners.filter((owner) => !isOurs(owner)), applier];
  const patch = { metadata: { managedFields, resourceVersion: live.metadata.resourceVersion } };
  const type = "application/merge-patch+json";
  const { status, body } = await client.request("PATCH", await client.path(live), JSON.stringify(patch), type);
  if (status !== 200) {
    throw new Error(`cannot change the owner of fields: ${status} ${JSON.stringify(body)}`);
  }
}

function isOurs({ manager, operation, subresource }: FieldOwner): boolean {
  if (subresource !== undefined) {
    return false;
  }
  return (manager === CREATOR && operation === "Update") || (manager === APPLIER && operation === "Apply");
}

function ownersOf({ metadata }: KubernetesObject): readonly FieldOwner[] {
  return (metadata.managedFields ?? []) as readonly FieldOwner[];
}

/** The fields of both sets; a set is a tree of field names. */
function union(some: Properties, others: Properties): Properties {
  const merged = Object.entries(others).map(([name, below]) => {
    return [name, name in some ? union(some[name] as Properties, below as Properties) : below];
  });
  return { ...some, ...Object.fromEntries(merged) };
}
