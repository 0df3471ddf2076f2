/**
 * Requirements of own machines before they join as nodes: a missing one later shows as pods that
 * never start.
 */
import { nvidiaDriverOf } from "../catalog/cuda-drivers";
import { gfxVersionNumber } from "../catalog/gfx";
import { imageEntry } from "../catalog/images";
import { leastRocmDriver } from "../catalog/rocm-drivers";
import { type CpuArchitecture, cardCount, type GpuSpec, gpuModels } from "../catalog/shapes";
import { modelEngineVersion, modelImageName } from "../engines";
import { compareVersions } from "../names/versions";
import { ownImageDriver } from "./hardware/own-image";
import { hostsOf } from "./shared-servers";
import type { DeploymentPlan, ModelPlan, PoolPlan } from "./types";

/** For each machine of a pool. */
export interface HostRequirements {
  readonly pool: string;
  readonly arch: CpuArchitecture;
  /** Hardware threads. */
  readonly vcpus: number;
  readonly memoryGiB: number;
  /** Local disks, 10^9 bytes. 0: not needed. */
  readonly diskGB: number;
  /** Undefined: none needed. */
  readonly gpus?: HostGpus;
}

export interface HostGpus {
  readonly vendor: GpuSpec["vendor"];
  /** Catalogue name of the card. */
  readonly model: string;
  /** NVIDIA: names of `nvidia-smi --query-gpu=name`. Empty: unknown, or another vendor. */
  readonly names: readonly string[];
  /**
   * AMD: target as printed by `rocminfo`, and as `gfx_target_version` in
   * /sys/class/kfd/kfd/topology/nodes/N/properties.
   */
  readonly gfx?: { readonly target: string; readonly version: number };
  /** Cards, partitioned or not. */
  readonly count: number;
  /** Per card, as its driver reports it. */
  readonly memoryGiB: number;
  /** Undefined: unknown for the images, or no model on the pool. */
  readonly minimumDriver?: MinimumDriver;
}

export interface MinimumDriver {
  /**
   * NVIDIA: first of `nvidia-smi --query-gpu=driver_version`. AMD: /sys/module/amdgpu/version, only
   * in AMD's package.
   */
  readonly version: string;
  /** For example "CUDA 13 in docker.io/vllm/vllm-openai:v0.33.0". */
  readonly because: string;
}

export interface ReportedCard {
  /** NVIDIA. */
  readonly name?: string;
  /** AMD, in the kernel's notation. */
  readonly gfxVersion?: number;
  /** As its driver reports it. */
  readonly memoryMiB?: number;
}

/** In the plan's order of pools. */
export function hostRequirements({
  pools,
  models,
}: Pick<DeploymentPlan, "pools" | "models">): readonly HostRequirements[] {
  return pools.map((pool) => {
    const { cpu, memoryGiB, localNvmeGB, gpu } = pool.shape;
    return {
      pool: pool.name,
      arch: cpu.arch,
      vcpus: cpu.vcpus,
      memoryGiB,
      diskGB: localNvmeGB,
      ...(gpu && { gpus: hostGpus(gpu, pool, models) }),
    };
  });
}

/** Drivers and tools round totals: other card sizes differ by far more. */
const SAME_MEMORY = 0.02;

/** Unreported fields match. */
export function isPlannedCard({ names, gfx, memoryGiB }: HostGpus, card: ReportedCard): boolean {
  const called = card.name?.trim().toLowerCase();
  const named = called === undefined || names.length === 0 || names.some((name) => name.toLowerCase() === called);
  const compiledFor = card.gfxVersion === undefined || gfx === undefined || gfx.version === card.gfxVersion;
  const sized = card.memoryMiB === undefined || Math.abs(card.memoryMiB / 1024 - memoryGiB) <= SAME_MEMORY * memoryGiB;
  return named && compiledFor && sized;
}

function hostGpus(gpu: GpuSpec, pool: PoolPlan, models: readonly ModelPlan[]): HostGpus {
  const { vendor, model, reported, abilities } = gpu;
  const minimumDriver = newestNeed(
    hostsOf(models)
      .filter((each) => each.pool === pool.name)
      .flatMap((each) => driverFor(each, gpu)),
  );
  return {
    vendor,
    model,
    names: reported?.names ?? [],
    ...(abilities?.gfx !== undefined && {
      gfx: { target: abilities.gfx, version: gfxVersionNumber(abilities.gfx) },
    }),
    count: cardCount(gpu),
    memoryGiB: wholeMemoryGiB(gpu),
    ...(minimumDriver && { minimumDriver }),
  };
}

/** Of the card, not its slices. */
function wholeMemoryGiB({ model, memoryGiB, slice }: GpuSpec): number {
  const whole = slice && gpuModels.find((each) => each.model === model);
  return whole?.memoryGiB ?? memoryGiB;
}

/** Of a model's pinned image; unknown for other versions. */
function driverFor(model: ModelPlan, { vendor, abilities }: GpuSpec): MinimumDriver[] {
  if (model.image) {
    const driver = ownImageDriver(model.image, vendor);
    return driver ? [{ version: driver.least, because: `${driver.because} in ${model.image.reference}` }] : [];
  }
  const name = model.engineVersion === modelEngineVersion(model) ? modelImageName(model, vendor) : undefined;
  if (name === undefined) {
    return [];
  }
  const entry = imageEntry(name);
  const { repository, tag, rocm } = entry;
  const image = `${repository}:${tag}`;
  if (vendor === "nvidia") {
    const driver = nvidiaDriverOf(entry, abilities?.computeCapability);
    return driver ? [{ version: `${driver.least}`, because: `${driver.because} in ${image}` }] : [];
  }
  const version = rocm === undefined ? undefined : leastRocmDriver(rocm);
  return version === undefined ? [] : [{ version, because: `ROCm ${rocm} in ${image}` }];
}

function newestNeed(needs: readonly MinimumDriver[]): MinimumDriver | undefined {
  return needs.toSorted((a, b) => compareVersions(b.version, a.version))[0];
}
