import { isOciBareMetal } from "../catalog/shapes";
import { engineOf } from "../engines";
import type { CapacityProblem, DeploymentPlan, PoolPlan } from "../planner/types";
import type { AddonVolumes } from "./cloud-billing";
import type { EnvironmentConfig } from "./config";

/**
 * Pods with volumes on bare metal, where the provisioned clusters' class attaches none: it is
 * paravirtualized, the only type for virtual machines that encrypt volumes in transit, and bare
 * metal supports only iSCSI (components/cluster/oke/volume-class.ts). They would wait forever, on
 * paid machines.
 */
export function volumeAttachmentProblems(
  { cluster }: Pick<EnvironmentConfig, "cluster">,
  { pools, models, storage }: Pick<DeploymentPlan, "pools" | "models" | "storage">,
  { volumes }: Pick<AddonVolumes, "volumes">,
): CapacityProblem[] {
  if (cluster.kind !== "oci" || cluster.provision === "existing" || cluster.storageClass !== undefined) {
    return [];
  }
  const virtual = pools.filter((pool) => pool.role !== "system" && !isOciBareMetal(pool.shape)).map(({ name }) => name);
  const ofModels = models.flatMap(({ name, engine, pool, serverOf }): CapacityProblem[] => {
    const found = pools.find((each) => each.name === pool);
    const hasVolume = serverOf === undefined && engineOf(engine).weightsFrom === "registry";
    const place = virtual.length > 0 ? `write pools: [${virtual.join(", ")}]` : "add a pool of virtual machines for it";
    const elsewhere = `${place}, take an engine that copies models from the model store`;
    return found && hasVolume && isOciBareMetal(found.shape)
      ? [problem(`models.${name}`, `${name} keeps its models on a volume`, found, elsewhere)]
      : [];
  });
  const hasVolumes = storage.sizeGiB > 0 || volumes.some(({ count }) => count > 0);
  const ofPlatform = pools.flatMap((pool): CapacityProblem[] =>
    hasVolumes && pool.role === "system" && isOciBareMetal(pool.shape)
      ? [
          problem(
            `pools.${pool.name}.shape`,
            "the platform has volumes (models, metrics)",
            pool,
            "take a shape of virtual machines, such as VM.Standard.E5.Flex",
          ),
        ]
      : [],
  );
  return [...ofModels, ...ofPlatform];
}

function problem(subject: string, what: string, { name, shape }: PoolPlan, remedy: string): CapacityProblem {
  return {
    severity: "mandatory",
    rule: "volume-attachment",
    subject,
    message: `${what}, and pools.${name} is of ${shape.name}: bare metal attaches volumes by iSCSI alone, and the class of volumes that is made here is paravirtualized, so that the pods would wait for ever. To fix it: ${remedy}, or name a class of yours as cluster.storageClass (attachment-type: iscsi, for all volumes of the platform; nodes of virtual machines that are made here take none by iSCSI).`,
  };
}
