import { LINK_EFFICIENCY } from "../catalog/image-pull";
import type { MachineShape } from "../catalog/shapes";
import { type EngineName, engineOf } from "../engines";
import type { ModelLoading } from "./types";

export interface StartupRequest {
  readonly engine: EngineName;
  readonly loading: ModelLoading;
  /** Whole model, GB: every node of a replica fetches all files. */
  readonly weightsGB: number;
  /** GB, copied however the model is loaded. @default 0 */
  readonly adaptersGB?: number;
  readonly shape: MachineShape;
  readonly nodesPerReplica: number;
  /** Link for fetching the model, Gbit/s. @default it is on the node */
  readonly linkGbps?: number;
}

/** Sustained disk read, GB/s: local NVMe, else network block volume. Conservative, by vendors. */
const DISK_GB_PER_SECOND = { nvme: 2, blockVolume: 0.48 };
/** Rendezvous of each further node. */
const SECONDS_PER_EXTRA_NODE = 60;
/** A limit, not an estimate: twice the expectation. */
const MARGIN = 2;
const MINIMUM_SECONDS = 60;

/** Expected seconds times the margin, rounded up to 10 s. */
export function startupBudgetSeconds(request: StartupRequest): number {
  return Math.ceil(Math.max(MINIMUM_SECONDS, expectedStartSeconds(request) * MARGIN) / 10) * 10;
}

/** Fetch, read from disk, warm up. */
export function expectedStartSeconds(request: StartupRequest): number {
  const { weightsGB, adaptersGB = 0, linkGbps, loading } = request;
  const { networkGbps = Number.POSITIVE_INFINITY } = request.shape;
  const fetch =
    linkGbps === undefined ? 0 : (weightsGB + adaptersGB) / ((Math.min(linkGbps, networkGbps) * LINK_EFFICIENCY) / 8);
  const disk = (request.shape.localNvmeGB ?? 0) > 0 ? DISK_GB_PER_SECOND.nvme : DISK_GB_PER_SECOND.blockVolume;
  const isOnDisk = loading === "copy" || loading === "cache" || linkGbps === undefined;
  const read = ((isOnDisk ? weightsGB : 0) + adaptersGB) / disk;
  const warmUp = engineOf(request.engine).warmUpSeconds + SECONDS_PER_EXTRA_NODE * (request.nodesPerReplica - 1);
  return fetch + read + warmUp;
}
