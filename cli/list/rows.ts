/** Catalogue rows of `npm run list`, for tables and `--json`. */

import { image } from "../../catalog/images";
import { findModel, modelNames } from "../../catalog/models";
import { type AmdSupport, cards, type FlexPrice, gpuModels, type MachinePrice, shapes } from "../../catalog/shapes";
import { engineImageName, engineNames, engineOf, engineProcessors, engineVersion, type Processor } from "../../engines";
import { servingCards } from "../../planner/hardware/verdict";
import { countParameters, weightBytes } from "../../planner/model/parameters";
import type { EngineName } from "../../planner/types";
import { readCatalogueModel } from "../../stacks/architectures";

/** A cloud machine, as in `pools.<name>.shape`. */
export interface ShapeRow {
  readonly name: string;
  readonly provider: string;
  readonly gpus: number;
  readonly gpu: string | undefined;
  /** One GPU, as its driver reports it. */
  readonly gpuMemoryGiB: number | undefined;
  readonly cpuArch: string;
  /** Maximum of a flexible shape. */
  readonly vcpus: number;
  readonly memoryGiB: number;
  readonly flexible: boolean;
  readonly networkGbps: number | undefined;
  readonly rdma: string;
  readonly price: MachinePrice | FlexPrice | undefined;
  readonly noPriceReason: string | undefined;
  /** Reason for refusal by plans. */
  readonly denied: string | undefined;
}

export function shapeRows(): ShapeRow[] {
  return shapes.map(
    ({ name, provider, gpu, cpu, memoryGiB, flex, networkGbps, rdma, price, noPriceReason, denied }) => ({
      name,
      provider,
      gpus: gpu?.count ?? 0,
      gpu: gpu?.model,
      gpuMemoryGiB: gpu?.memoryGiB,
      cpuArch: cpu.arch,
      vcpus: cpu.vcpus,
      memoryGiB,
      flexible: flex !== undefined,
      networkGbps,
      rdma: rdma.kind,
      price,
      noPriceReason,
      denied,
    }),
  );
}

/** A GPU card of own machines, as in `pools.<name>.node.card`. */
export interface CardRow {
  readonly name: string;
  readonly gpu: string;
  readonly vendor: string;
  readonly memoryGiB: number;
  /** Compute capability (NVIDIA), or target such as gfx1100 (AMD). */
  readonly compiledFor: string | undefined;
  /** FP8 in hardware; undefined: unknown. */
  readonly fp8: boolean | undefined;
  /** AMD's support in the images' ROCm; undefined: not AMD. */
  readonly rocm: AmdSupport["rocm"] | undefined;
  /** HSA_OVERRIDE_GFX_VERSION of pods; undefined: none. */
  readonly hsaOverride: string | undefined;
  /** Engines with code for it. */
  readonly engines: readonly string[];
  readonly notes: string;
}

export function cardRows(): CardRow[] {
  return cards.flatMap(({ name, gpu, notes }) => {
    const model = gpuModels.find((each) => each.model === gpu);
    if (model === undefined) {
      return [];
    }
    const { vendor, memoryGiB, abilities, support } = model;
    const { rocm, hsaOverride } = support ?? {};
    const engines = engineNames.filter((engine) => servingCards([{ engine }], vendor).includes(name));
    const compiledFor = abilities?.gfx ?? abilities?.computeCapability?.toFixed(1);
    return [{ name, gpu, vendor, memoryGiB, compiledFor, fp8: abilities?.fp8, rocm, hsaOverride, engines, notes }];
  });
}

/** A catalogue model, as in `models.<name>.model`: by `name` or `repository`. */
export interface ModelRow {
  readonly name: string;
  readonly repository: string;
  readonly task: string;
  readonly parametersB: number;
  /** GB. */
  readonly weightsGB: number;
  /** Of the repository's weights. */
  readonly format: string;
  readonly maxContextTokens: number;
  readonly gated: boolean;
  readonly license: string;
  /** Tags in engines' own registries. */
  readonly builds: Readonly<Partial<Record<EngineName, readonly string[]>>>;
}

/** Engines with their own registry. */
export const enginesWithBuilds = engineNames.filter((name) => engineOf(name).weightsFrom === "registry");

export function modelRows(): ModelRow[] {
  return modelNames().flatMap((name) => {
    const entry = findModel(name);
    if (!entry) {
      return [];
    }
    const architecture = readCatalogueModel(entry);
    return [
      {
        name,
        repository: entry.repository,
        task: entry.task,
        parametersB: countParameters(architecture).total / 1e9,
        weightsGB: weightBytes(architecture).checkpointBytes / 1e9,
        format: architecture.quantization.name,
        maxContextTokens: architecture.maxContextTokens,
        gated: entry.gated,
        license: entry.license,
        builds: Object.fromEntries(
          enginesWithBuilds.map((engine) => [engine, (entry.builds?.[engine] ?? []).map(({ tag }) => tag)]),
        ),
      },
    ];
  });
}

/** An engine, its hardware, and values of `models.<name>.quantization`. */
export interface EngineRow {
  readonly name: EngineName;
  readonly version: string;
  /** By hardware. */
  readonly images: Readonly<Record<string, string>>;
  readonly quantizations: readonly string[];
  /** Why new users should avoid it. */
  readonly legacy?: string;
}

export function engineRows(): EngineRow[] {
  return engineNames.map((name) => {
    const { legacy, formats } = engineOf(name);
    const { names, removed = [] } = formats;
    return {
      name,
      version: engineVersion(name),
      images: Object.fromEntries(
        engineProcessors(name).flatMap((processor) => {
          const component = engineImageName(name, processor as Processor);
          return component === undefined ? [] : [[processor, image(component)]];
        }),
      ),
      quantizations: names.filter((format) => !removed.includes(format)),
      ...(legacy !== undefined && { legacy }),
    };
  });
}
