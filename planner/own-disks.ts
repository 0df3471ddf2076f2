/** Own machines: one disk holds what clouds put on several. */
import { engineOf } from "../engines";
import { bootVolumeNeed, podFilesGiB } from "./boot-volume";
import type { BilledVolumes } from "./cloud-services";
import { diskForGB, localDisksGiB } from "./local-disks";
import { platformPools } from "./platform-pools";
import type { CapacityProblem, ModelPlan, PoolPlan } from "./types";

type Pool = Pick<PoolPlan, "name" | "shape" | "role" | "localDisks" | "nodeCacheGiB">;
type Model = Pick<ModelPlan, "name" | "pool" | "engine" | "resources" | "serverOf" | "server" | "modelStorageGiB">;

/** Volumes as folders of the node, as by k3s' local-path. */
export interface NodeVolumes {
  /** Of the model store, GiB; 0: none. */
  readonly storeGiB: number;
  /** Other claims of the platform, on any node. */
  readonly volumes: readonly BilledVolumes[];
  /** Spare GiB on each engine's model volume. */
  readonly spareModelGiB: number;
}

/**
 * Own machines whose disk is too small for a node's pod files, images and folder volumes. Pools
 * without a stated disk are not judged: `npm run doctor` asks the nodes.
 *
 * @param volumes undefined where they are not known to be on the nodes.
 */
export function ownDiskProblems(
  pools: readonly Pool[],
  models: readonly Model[],
  volumes: NodeVolumes | undefined,
): CapacityProblem[] {
  const ofPlatform = platformPools(pools);
  return pools.flatMap((pool): CapacityProblem[] => {
    const { name, shape } = pool;
    if (shape.provider !== "onprem" || shape.localNvmeGB === 0) {
      return [];
    }
    const hasPlatform = ofPlatform.includes(pool);
    const parts = [
      ["files of pods", podFilesGiB(pool, models)],
      ["the cache of weights", pool.nodeCacheGiB ?? 0],
      ["images", bootVolumeNeed({ ...pool, role: hasPlatform ? "system" : pool.role }, models).imagesGiB],
      ["models of engines that keep their own", volumes ? ownModelsGiB(pool, models, volumes) : 0],
      ["the model store", hasPlatform ? (volumes?.storeGiB ?? 0) : 0],
      ["other volumes of the platform", hasPlatform && volumes ? sumGiB(volumes.volumes) : 0],
    ] as const;
    const wanted = parts.reduce((sum, [, gib]) => sum + gib, 0);
    const there = localDisksGiB(pool);
    if (wanted <= there) {
      return [];
    }
    const said = parts.flatMap(([what, gib]) => (gib > 0 ? [`${gib} of ${what}`] : [])).join(", ");
    return [
      {
        severity: "mandatory",
        rule: "local-disks",
        subject: `pools.${name}.node.localNvmeGB`,
        message: `a node of pools.${name} may have ${wanted} GiB on its disk: ${said}. Its ${shape.localNvmeGB} GB leave ${there} of them, with a seventh free for the kubelet: pods would wait for ever, or be evicted. Give the machines a disk of ${diskForGB(wanted)} GB or more under the folder of the kubelet and write that as localNvmeGB, or serve smaller models, or fewer on this pool.`,
      },
    ];
  });
}

/** Model volumes of engines that pull models themselves: one per replica on a node. */
function ownModelsGiB(pool: Pool, models: readonly Model[], { spareModelGiB }: NodeVolumes): number {
  const kept = models
    .filter(({ engine }) => engineOf(engine).weightsFrom === "registry")
    .map((model) => {
      const ephemeralStorageGiB = (model.server?.storageGiB ?? model.modelStorageGiB) + spareModelGiB;
      return { ...model, resources: { ...model.resources, ephemeralStorageGiB } };
    });
  return podFilesGiB(pool, kept);
}

function sumGiB(volumes: readonly BilledVolumes[]): number {
  return volumes.reduce((sum, { sizeGiB, count }) => sum + sizeGiB * count, 0);
}
