/** Volume claims of pods that users create, and a rehearsal in their place. */
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

/** Excludes claims of these objects and of StatefulSet templates. */
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

/** For many readers. */
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

/** Only in existing namespaces. */
export async function addUserClaims(client: ApiClient, objects: readonly KubernetesObject[]): Promise<void> {
  for (const object of userClaimsOf(objects).flatMap(volumeAndClaim)) {
    await client.create(object);
  }
}
