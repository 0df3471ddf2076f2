/** Volume claims that pods mount and no object makes: users do, and a rehearsal does it for them. */
import type { KubernetesObject } from "../../kubernetes/object";
import type { ApiClient } from "./api-client";
import { podsOf } from "./recorded-objects";

export interface UserClaim {
  readonly name: string;
  readonly namespace: string;
}

interface MountedVolumes {
  readonly volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName?: string } }[];
}

/** Claims of pods' own volumes that neither these objects nor templates of StatefulSets make. */
export function userClaimsOf(objects: readonly KubernetesObject[]): UserClaim[] {
  const made = new Set(
    objects
      .filter(({ kind }) => kind === "PersistentVolumeClaim")
      .map(({ metadata: { name, namespace } }) => `${namespace}/${name}`),
  );
  const mounted = objects
    .filter(({ kind }) => kind !== "StatefulSet")
    .flatMap(podsOf)
    .flatMap(({ metadata: { namespace = "default" }, spec }) =>
      ((spec as MountedVolumes | undefined)?.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) =>
        claim?.claimName === undefined ? [] : [{ name: claim.claimName, namespace }],
      ),
    );
  const byKey = new Map(mounted.map((claim) => [`${claim.namespace}/${claim.name}`, claim]));
  return [...byKey].filter(([key]) => !made.has(key)).map(([, claim]) => claim);
}

/** A volume that many nodes read, and the claim that is bound to it. */
export function volumeAndClaim({ name, namespace }: UserClaim): readonly [KubernetesObject, KubernetesObject] {
  const volume = `${namespace}-${name}`;
  const common = { accessModes: ["ReadOnlyMany"], storageClassName: "" };
  return [
    {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: volume },
      spec: {
        ...common,
        capacity: { storage: "1Ti" },
        persistentVolumeReclaimPolicy: "Retain",
        nfs: { server: "192.0.2.10", path: "/weights", readOnly: true },
      },
    },
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name, namespace },
      spec: { ...common, volumeName: volume, resources: { requests: { storage: "1Ti" } } },
    },
  ];
}

/** Makes the claims that users would, in namespaces that are there. */
export async function addUserClaims(client: ApiClient, objects: readonly KubernetesObject[]): Promise<void> {
  for (const object of userClaimsOf(objects).flatMap(volumeAndClaim)) {
    await client.create(object);
  }
}
