import { isClaim, isFolder } from "../engines/sources";
import { adapterFilesGB } from "./adapters";
import type { Candidate } from "./candidates/types";
import type { ModelRequest, PlanRequest } from "./request";
import type { StartupRequest } from "./startup";
import { goesThroughStore, modelFilesGB } from "./storage";
import type { PoolPlan } from "./types";

export function startupOf(
  model: ModelRequest,
  { layout }: Pick<Candidate, "layout">,
  { name, shape, localDisks }: Pick<PoolPlan, "name" | "shape" | "localDisks">,
  { storage, pools }: Pick<PlanRequest, "storage" | "pools">,
): StartupRequest {
  const isMadeHere = pools.some((pool) => pool.name === name && pool.nodesMadeHere);
  return {
    engine: model.engine,
    loading: model.loading,
    weightsGB: modelFilesGB(model),
    adaptersGB: adapterFilesGB(model),
    // Cloud disks without a file system hold no model.
    shape: isMadeHere && !localDisks && shape.provider !== "onprem" ? { ...shape, localNvmeGB: 0 } : shape,
    nodesPerReplica: layout.nodesPerReplica,
    ...(!isFolder(model.source) && {
      linkGbps: goesThroughStore(model.source) || isClaim(model.source) ? storage.storeGbps : storage.registryGbps,
    }),
  };
}
