import { LINK_EFFICIENCY } from "../catalog/image-pull";
import type { MachineShape } from "../catalog/shapes";
import { type EngineName, engineOf } from "../engines";
import type { ModelLoading } from "./types";

export interface StartupRequest {
  readonly engine: EngineName;
  readonly loading: ModelLoading;
  /** Files of the whole model, GB: every node of a replica fetches them all. */
  readonly weightsGB: number;
  /** Files of its adapters, GB: copied, however the model itself is loaded. @default 0 */
  readonly adaptersGB?: number;
  readonly shape: MachineShape;
  readonly nodesPerReplica: number;
  /** Link over which this pod fetches the model, Gbit/s. */
  readonly linkGbps: number;
}

/** Sustained read of a node's disk, GB/s: local NVMe, else a network block volume. Conservative vendor figures. */
const DISK_GB_PER_SECOND = { nvme: 2, blockVolume: 0.48 };
/** Every further node of a replica adds a rendezvous to the engine's own warm-up. */
const SECONDS_PER_EXTRA_NODE = 60;
/** A budget is a limit, not an estimate: twice what is expected. */
const MARGIN = 2;
const MINIMUM_SECONDS = 60;

/** Seconds until a started pod must answer: what is expected, times the margin. Rounded up to 10 s. */
export function startupBudgetSeconds(request: StartupRequest): number {
  return Math.ceil(Math.max(MINIMUM_SECONDS, expectedStartSeconds(request) * MARGIN) / 10) * 10;
}

/** Seconds until a started pod answers, as expected: fetch, read from disk, warm up. */
export function expectedStartSeconds(request: StartupRequest): number {
  const nodeGbps = request.shape.networkGbps ?? request.linkGbps;
  const linkGBPerSecond = (Math.min(request.linkGbps, nodeGbps) * LINK_EFFICIENCY) / 8;
  const { weightsGB, adaptersGB = 0 } = request;
  const fetch = (weightsGB + adaptersGB) / linkGBPerSecond;
  const disk = (request.shape.localNvmeGB ?? 0) > 0 ? DISK_GB_PER_SECOND.nvme : DISK_GB_PER_SECOND.blockVolume;
  const read = ((request.loading === "copy" ? weightsGB : 0) + adaptersGB) / disk;
  const warmUp = engineOf(request.engine).warmUpSeconds + SECONDS_PER_EXTRA_NODE * (request.nodesPerReplica - 1);
  return fetch + read + warmUp;
}
