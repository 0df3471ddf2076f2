/** Host memory and disk of LoRA adapters; engines reserve GPU memory separately. */
import { engineOf } from "../engines";
import type { AdapterRoom } from "../engines/adapters";
import { BYTES_PER_GIB } from "../names/units";
import type { MemoryEstimate } from "./memory/types";
import { DTYPE_BYTES, type ModelArchitecture } from "./model/architecture";
import { tensorInventory } from "./model/tensors";
import type { ModelRequest } from "./request";
import { modelStorageGiB } from "./storage";
import type { AdaptersPlan } from "./types";

/** Training keeps adapters in float32, and many are published so. */
const FILE_BYTES_PER_VALUE = DTYPE_BYTES.float32;

export function adapterRoom(model: ModelRequest): AdapterRoom | undefined {
  return (model.adapters ?? []).length === 0 ? undefined : engineOf(model.engine).adapters?.room(model);
}

/**
 * Upper bound: an adapter of this rank that changes every matrix, including embeddings and experts.
 * Each matrix gets two, rank × inputs and outputs × rank.
 */
export function adapterValues(architecture: ModelArchitecture, rank: number): number {
  return tensorInventory(architecture)
    .filter(({ kind, part }) => kind !== "vector" && part !== "multi-token-prediction")
    .reduce((total, { rows, columns, count }) => total + rank * (rows + columns) * count, 0);
}

/** Upper bound, GB: adapters are not read before the deployment. */
export function adapterFilesGB(model: ModelRequest): number {
  const room = adapterRoom(model);
  return room === undefined ? 0 : (model.adapters ?? []).length * fileGB(model, room);
}

function fileGB({ architecture }: ModelRequest, { maxRank }: AdapterRoom): number {
  return (adapterValues(architecture, maxRank) * FILE_BYTES_PER_VALUE) / 1e9;
}

/** Whole GiB; 0 without adapters. */
export function adapterStorageGiB(model: ModelRequest): number {
  const filesGB = adapterFilesGB(model);
  return filesGB === 0 ? 0 : modelStorageGiB(filesGB);
}

/**
 * Each engine process keeps all adapters, whole, in the model's type (`--max-cpu-loras`,
 * LoRAModel.from_local_checkpoint of vLLM 0.33.0).
 *
 * @param processes of one pod: one per GPU.
 */
export function adapterHostGiB(model: ModelRequest, processes: number): number {
  const room = adapterRoom(model);
  if (room === undefined) {
    return 0;
  }
  const each = adapterValues(model.architecture, room.maxRank) * DTYPE_BYTES[model.architecture.checkpointDtype];
  return ((model.adapters ?? []).length * each * processes) / BYTES_PER_GIB;
}

/** @returns undefined without adapters. */
export function planAdapters(model: ModelRequest, estimate: MemoryEstimate): AdaptersPlan | undefined {
  const room = adapterRoom(model);
  return (
    room && {
      list: model.adapters ?? [],
      ...room,
      gpuGiB: estimate.adaptersGiB ?? 0,
      fileGB: fileGB(model, room),
      storageGiB: adapterStorageGiB(model),
    }
  );
}
