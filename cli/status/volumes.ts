import { z } from "zod";
import { type ClusterApi, Refused } from "../cluster/cluster-api";
import type { VolumeStatus } from "./result";

const PATH = "/api/v1/persistentvolumes";

const volumeFact = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    capacity: z.object({ storage: z.string().default("") }).prefault({}),
    claimRef: z.object({ namespace: z.string(), name: z.string() }).nullish(),
  }),
  status: z.object({ phase: z.string().default("") }).prefault({}),
});

/**
 * Volumes whose claims in these namespaces are gone: retained by their class, never reused, and
 * billed. Null without the right to list volumes, which are cluster-scoped.
 */
export async function orphanedVolumes(
  api: Pick<ClusterApi, "list">,
  namespaces: readonly string[],
): Promise<VolumeStatus[] | null> {
  const volumes = z.array(volumeFact).safeParse(await listed(api));
  return !volumes.success
    ? null
    : volumes.data
        .flatMap(({ metadata: { name }, spec: { capacity, claimRef }, status: { phase } }): VolumeStatus[] =>
          claimRef && phase !== "Bound" && phase !== "Available" && namespaces.includes(claimRef.namespace)
            ? [{ name, claim: `${claimRef.namespace}/${claimRef.name}`, size: capacity.storage, phase }]
            : [],
        )
        .sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function listed(api: Pick<ClusterApi, "list">): Promise<unknown> {
  try {
    return await api.list(PATH);
  } catch (error) {
    if (error instanceof Refused) {
      return undefined;
    }
    throw error;
  }
}
