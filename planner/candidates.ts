import { imageArchitectures, imageSupports } from "../catalog/images";
import { engineOf, engineProcessors, modelImageName, settingPath } from "../engines";
import type { CardVerdict } from "../engines/card";
import { estimateServer, layoutProblems, startProblems } from "../engines/estimate";
import type { MemoryRequest } from "../engines/memory-request";
import type { SERVICE_LEVEL } from "../names/rules";
import { adapterHostGiB, adapterStorageGiB } from "./adapters";
import { type CrossingProblem, crossingProblem, groupDevices } from "./fabric";
import { partNotes, partProblem, perPart, turnsProblem } from "./gpu-parts";
import { cardVerdict, cpuVerdict } from "./hardware/verdict";
import { type Layout, layouts } from "./layouts";
import { chooseLayout, type LayoutOption } from "./level/choose-layout";
import type { SpeedAnswer } from "./level/replica-speed";
import { plannedConcurrency, sizingFor, speedOn, withBatch } from "./level/sized-layout";
import type { Sizing } from "./level/sizing";
import type { MemoryEstimate } from "./memory/types";
import { verdictText } from "./memory/verdict-text";
import { type Capacity, holds } from "./packing";
import { roomForReplicas } from "./placement";
import { cpuPodResources, type EnginePod, gpuPodResources, hostMemoryFloorGiB } from "./pod-resources";
import type { ModelRequest, PoolRequest } from "./request";
import type { ServerModels } from "./shared-servers";
import { allOf } from "./sidecars";
import { mostPerPod, partName } from "./slices";
import { modelFilesGB, modelStorageGiB } from "./storage";
import type { PodResources } from "./types";

/** One way to run a model on a pool. */
export interface Candidate {
  readonly pool: string;
  readonly layout: Layout;
  /** Of all models of the server. */
  readonly estimate: MemoryEstimate;
  /** Of each: the host, then its guests. */
  readonly each: readonly MemoryEstimate[];
  readonly resources: PodResources;
  /** What its cards mean for the model. */
  readonly notes: readonly string[];
  /** Requests of full length that one replica is planned for. */
  readonly concurrency: number;
  /** Requests that the engine is told to run at once at most, where its traffic says; else as the file or its own limit. */
  readonly maxNumSeqs?: number;
  /** How fast a replica is; of the host, where models share it. */
  readonly speed: SpeedAnswer;
  /** Where there is traffic or a level, and the speed is known. */
  readonly sizing?: Sizing;
  /** Why it is no smaller layout that would fit as well. */
  readonly why?: string;
}

/** The best try on a pool that cannot run the model: what it would have been, and what it lacks. */
export interface Refusal {
  readonly pool: string;
  /** Undefined when no layout obeys the rules at all. */
  readonly layout?: Layout;
  /** GiB that the tightest GPU lacks to hold the model for sure. */
  readonly missingPerGpuGiB?: number;
  readonly estimate?: MemoryEstimate;
  /** Of each model of the server. */
  readonly each?: readonly MemoryEstimate[];
  /** Why, in a sentence that names the numbers. */
  readonly reason: string;
  /** What would help, where it is known without trying. */
  readonly remedy?: string;
  /** That it breaks. @default the model does not fit */
  readonly rule?: typeof SERVICE_LEVEL;
  /** How many times longer than the service level allows its shortest times are; only with that rule. */
  readonly tooSlow?: number;
}

export type Fit = { readonly candidate: Candidate } | { readonly refusal: Refusal };

/**
 * The cheapest way to run one replica of a server on `pool`, or the nearest miss.
 *
 * @param node what pods may claim of a node of the pool.
 * @param maxNodes nodes that one replica may take.
 */
export function fitOnPool(server: ServerModels, pool: PoolRequest, node: Capacity, maxNodes = pool.maxNodes): Fit {
  const model = server.host;
  if (pool.shape.denied) {
    return refuse(pool, `${pool.shape.name} cannot be used: ${pool.shape.denied}`);
  }
  const { gpu, cpu, name } = pool.shape;
  const image = modelImageName(model, gpu?.vendor ?? "cpu");
  if (!image) {
    const runsOn = engineProcessors(model.engine).join(", ");
    return refuse(
      pool,
      `${model.engine} does not run on the ${gpu?.model ?? "CPUs"} of ${name}, only on: ${runsOn}`,
      "take a pool of those, or another engine",
    );
  }
  if (!imageSupports(image, cpu.arch)) {
    return refuse(
      pool,
      `the image of ${model.engine} is not made for ${cpu.arch}, the CPU architecture of ${name}`,
      `take a pool of ${imageArchitectures(image).join(" or ")} machines, or another engine`,
    );
  }
  return gpu
    ? fitOnGpus(server, pool, node, { maxNodes, crossing: crossingProblem(pool, image, model.node !== undefined) })
    : fitOnCpu(server, pool, node);
}

/** The layout that lacks least. */
interface Nearest {
  readonly layout: Layout;
  readonly estimate: MemoryEstimate;
  readonly each: readonly MemoryEstimate[];
}

/** How far one replica may spread over a pool's nodes. */
interface Spread {
  readonly maxNodes: number;
  readonly crossing: CrossingProblem | undefined;
}

function fitOnGpus(server: ServerModels, pool: PoolRequest, whole: Capacity, { maxNodes, crossing }: Spread): Fit {
  const { host: model, guests } = server;
  const models = [model, ...guests];
  const node = roomForReplicas(whole, model.engine);
  const { shape } = pool;
  const gpu = shape.gpu;
  if (!gpu) {
    return refuse(pool, `${shape.name} has no GPU`);
  }
  const unshared = turnsProblem(models, gpu);
  if (unshared) {
    return refuse(pool, unshared.reason, unshared.remedy);
  }
  const verdicts = models.map((each) => cardVerdict(each, gpu));
  const requests = models.map((each) => requestOn(gpu, each, ONE_GPU));
  const refusal = refusalOf(pool, verdicts, requests);
  if (refusal) {
    return refusal;
  }
  const rules: string[] = [];
  let nearest: Nearest | undefined;
  const { parallelism, staysOnNode } = engineOf(model.engine);
  const wanted = parallelism.overNodes ? Math.max(1, maxNodes) : 1;
  const perPod = mostPerPod(gpu);
  const barrier = partProblem(gpu) ?? (wanted > 1 ? (staysOnNode?.(model) ?? crossing) : undefined);
  const reachable = barrier ? 1 : wanted;

  const options: LayoutOption[] = [];
  for (const layout of layoutsFor(model, perPod, reachable)) {
    if (hasRoomOnFewer(options, layout)) {
      break;
    }
    const problems = models.flatMap((each) => layoutProblems(each.engine, { ...each, ...layout }));
    if (problems.length > 0) {
      rules.push(...problems);
      continue;
    }
    if (models.some(({ architecture }) => layout.pipelineParallel > architecture.layers)) {
      continue;
    }
    const onLayout = (asked: ModelRequest) => requestOn(gpu, asked, layout);
    const concurrency = plannedConcurrency(server, shape, layout, onLayout);
    const { request, maxNumSeqs } = withBatch(server, shape, layout, onLayout({ ...model, concurrency }));
    const { together: estimate, each } = estimateServer([request, ...guests.map(onLayout)]);
    if (estimate.verdict.answer === "fits") {
      const weightsGiB = estimate.perGpu.weightsGiB * layout.gpusPerNode;
      const weightsMemoryGiB = engineOf(model.engine).weightsInHostGiB?.(model, weightsGiB) ?? 0;
      const pod = { ...enginePod(model, layout.gpusPerNode), weightsMemoryGiB };
      const resources = {
        ...gpuPodResources(shape, node, layout.gpusPerNode, pod),
        ...(layout.nodesPerReplica > 1 && groupDevices(pool)),
      };
      const beside = resources.sharedMemoryGiB + (pod.adapterMemoryGiB ?? 0) + pod.sidecar.memoryGiB + weightsMemoryGiB;
      const floor = Math.ceil(hostMemoryFloorGiB(layout.gpusPerNode) + beside);
      if (resources.memoryGiB < floor || !holds(node, resources)) {
        if (options.length > 0) {
          break;
        }
        return refuse(
          pool,
          `${shape.name} leaves ${describe(node)} to models, and ${resources.memoryGiB} GiB of it to ${layout.gpusPerNode} ${gpu.slice ? partName(gpu.slice) : "GPU(s)"}; ${model.engine} needs ${floor} GiB and ${resources.cpu} CPUs to start`,
        );
      }
      const notes = [...notesOf(verdicts), ...partNotes(gpu)];
      const speed = speedOn(server, shape, layout, { request, estimate });
      const candidate = {
        ...{ pool: pool.name, layout, estimate, each, resources, notes, concurrency, speed },
        ...(maxNumSeqs !== undefined && { maxNumSeqs }),
      };
      const sizing = sizingFor(model, speed);
      if (sizing === undefined) {
        return { candidate };
      }
      options.push({ candidate, sizing });
      continue;
    }
    if (!nearest || estimate.shortfallGiB < nearest.estimate.shortfallGiB) {
      nearest = { layout, estimate, each };
    }
  }
  if (options.length > 0) {
    return chooseLayout(model, pool, options);
  }
  if (!nearest) {
    const why =
      rules.length > 0 ? brief([...new Set(rules)]) : "the pinned parallelism matches no layout of this shape";
    const remedies = [barrier?.remedy, parallelismRemedy(model, perPod, reachable)].filter((r) => r !== undefined);
    return refuse(
      pool,
      `no layout on ${shape.name} obeys the engine's rules: ${why}${barrier ? `; ${barrier.reason}` : ""}`,
      remedies.join(", or "),
    );
  }
  const missingGiB = nearest.estimate.shortfallGiB;
  const remedy = partProblem(gpu, missingGiB)?.remedy ?? barrier?.remedy;
  return {
    refusal: {
      pool: pool.name,
      ...nearest,
      missingPerGpuGiB: missingGiB,
      reason: `${describeMiss(pool, nearest, barrier)}${describeEach(server, nearest.each)}`,
      ...(remedy && { remedy }),
    },
  };
}

/**
 * More nodes divide memory and not the time of a request. Twice as many as the fewest may still be worth their price, because
 * more requests run in what they leave for the cache; beyond that replicas are what answers more.
 */
function hasRoomOnFewer(options: readonly LayoutOption[], { nodesPerReplica }: Layout): boolean {
  return options.some(
    ({ candidate, sizing }) =>
      nodesPerReplica > 2 * candidate.layout.nodesPerReplica &&
      (Number.isFinite(sizing.needed) || sizing.rate.missed.length > 0),
  );
}

function fitOnCpu(server: ServerModels, pool: PoolRequest, node: Capacity): Fit {
  const { host: model, guests } = server;
  if (node.memoryGiB <= 0) {
    return refuse(pool, `the system and the platform take all ${pool.shape.memoryGiB} GiB of ${pool.shape.name}`);
  }
  const models = [model, ...guests];
  const verdicts = models.map((each) => cpuVerdict(each, pool.shape.cpu.arch));
  const onHost = (each: ModelRequest): MemoryRequest => ({
    ...estimateRequest(each),
    device: "cpu",
    gpuMemoryGiB: node.memoryGiB,
    ...ONE_GPU,
  });
  const requests = [onHost(model), ...guests.map(onHost)] as const;
  const refusal = refusalOf(pool, verdicts, requests);
  if (refusal) {
    return refusal;
  }
  const { together: estimate, each } = estimateServer(requests);
  const layout = { tensorParallel: 1, pipelineParallel: 1, nodesPerReplica: 1, gpusPerNode: 0 };
  const { totalGiB, limitGiB } = estimate.perGpu;
  if (estimate.verdict.answer !== "fits") {
    return {
      refusal: {
        pool: pool.name,
        layout,
        estimate,
        each,
        missingPerGpuGiB: estimate.shortfallGiB,
        reason: `needs ${gib(totalGiB)} of host memory, ${pool.shape.name} leaves ${gib(limitGiB)}: ${verdictText(estimate.perGpu, estimate.verdict)}${describeEach(server, each)}`,
      },
    };
  }
  const resources = cpuPodResources(node, totalGiB + estimate.verdict.intervalGiB.above, {
    ...enginePod(model, 1),
    sharedMemoryGiB: engineOf(model.engine).onCpu?.sharedMemoryGiB ?? 0,
  });
  if (!holds(node, resources)) {
    return refuse(
      pool,
      `${pool.shape.name} leaves ${describe(node)} to models; ${model.engine} needs ${resources.cpu} CPUs and ${gib(resources.memoryGiB)}`,
    );
  }
  const speed = speedOn(server, pool.shape, layout, { request: requests[0], estimate });
  const candidate = {
    ...{ pool: pool.name, layout, estimate, each, resources, notes: notesOf(verdicts) },
    ...{ concurrency: model.concurrency, speed },
  };
  // Known of CPUs that the model was measured on.
  const sizing = sizingFor(model, speed);
  return sizing === undefined ? { candidate } : chooseLayout(model, pool, [{ candidate, sizing }]);
}

/** Why the models would not start there, whatever their layout and memory. */
function refusalOf(
  pool: PoolRequest,
  verdicts: readonly CardVerdict[],
  requests: readonly MemoryRequest[],
): Fit | undefined {
  const refusals = verdicts.flatMap((verdict) => verdict.refusals);
  if (refusals.length > 0) {
    const remedies = [...new Set(refusals.map(({ remedy }) => remedy))];
    return refuse(pool, refusals.map(({ reason }) => reason).join("; "), remedies.join(", and "));
  }
  const starts = requests.flatMap(startProblems);
  return starts.length > 0 ? refuse(pool, starts.join("; ")) : undefined;
}

function notesOf(verdicts: readonly CardVerdict[]): string[] {
  return [...new Set(verdicts.flatMap(({ notes }) => notes))];
}

function layoutsFor(model: ModelRequest, gpusOnNode: number, maxNodes: number): Layout[] {
  const { tensor } = engineOf(model.engine).parallelism;
  return layouts({
    gpusOnNode,
    maxNodes,
    layers: model.architecture.layers,
    tensorParallel: tensor ? model.tensorParallel : 1,
    pipelineParallel: model.pipelineParallel,
  });
}

/** For what does not depend on the layout. */
const ONE_GPU = { tensorParallel: 1, pipelineParallel: 1 };

function requestOn(
  gpu: NonNullable<PoolRequest["shape"]["gpu"]>,
  model: ModelRequest,
  { tensorParallel, pipelineParallel }: Pick<Layout, "tensorParallel" | "pipelineParallel">,
): MemoryRequest {
  return {
    ...estimateRequest(model),
    device: "gpu",
    gpuMemoryGiB: gpu.engineMemoryGiB,
    gpuModel: gpu.model,
    tensorParallel,
    pipelineParallel,
  };
}

function estimateRequest(model: ModelRequest) {
  return {
    architecture: model.architecture,
    engine: { name: model.engine, version: model.engineVersion },
    contextTokens: model.contextTokens,
    concurrency: model.concurrency,
    kvCacheDtype: model.kvCacheDtype,
    quantization: model.quantization,
    utilization: model.gpuMemoryUtilization,
    maxNumSeqs: model.maxNumSeqs,
    declaredMemoryGiB: model.declaredMemoryGiB,
    adapters: model.adapters,
    maxLoras: model.maxLoras,
    maxLoraRank: model.maxLoraRank,
    args: model.args,
  };
}

/** Logs, compile caches and temporary files, plus the model itself where it is copied next to the engine. */
function enginePod(model: ModelRequest, processes: number): EnginePod {
  return {
    ephemeralStorageGiB: ephemeralGiB(model),
    adapterMemoryGiB: adapterHostGiB(model, processes),
    sidecar: allOf([engineOf(model.engine).sidecar, ...(model.sidecars ?? [])]),
  };
}

function ephemeralGiB(model: ModelRequest): number {
  const scratch = 10;
  const copied = engineOf(model.engine).weightsFrom === "store" && model.loading === "copy";
  return scratch + (copied ? modelStorageGiB(modelFilesGB(model)) : 0) + adapterStorageGiB(model);
}

function describeMiss(
  pool: PoolRequest,
  { layout, estimate }: { layout: Layout; estimate: MemoryEstimate },
  barrier: CrossingProblem | undefined,
): string {
  const { totalGiB, limitGiB, weightsGiB, kvCacheGiB, overheadGiB } = estimate.perGpu;
  const nodes = layout.nodesPerReplica === 1 ? "1 node" : `${layout.nodesPerReplica} nodes`;
  const alone = barrier ? `; ${barrier.reason}` : "";
  return (
    `nearest is TP ${layout.tensorParallel} × PP ${layout.pipelineParallel} on ${nodes} of ${pool.shape.name}: ` +
    `${gib(totalGiB)} per ${perPart(pool.shape.gpu)} (weights ${gib(weightsGiB)}, KV cache ${gib(kvCacheGiB)}, overhead ${gib(overheadGiB)}) of ${gib(limitGiB)}, ` +
    `${verdictText(estimate.perGpu, estimate.verdict)}${alone}`
  );
}

/** What each model of a shared server takes of it. */
function describeEach({ host, guests }: ServerModels, each: readonly MemoryEstimate[]): string {
  if (guests.length === 0) {
    return "";
  }
  const parts = [host, ...guests].map(({ name }, index) => {
    const { perGpu, verdict } = each[index] ?? {};
    return `${name} ${gib(perGpu?.totalGiB ?? 0)} and up to ${gib(verdict?.intervalGiB.above ?? 0)} more`;
  });
  return `; of it ${parts.join(", ")}`;
}

function refuse(pool: PoolRequest, reason: string, remedy?: string): Fit {
  return { refusal: { pool: pool.name, reason, ...(remedy && { remedy }) } };
}

/** Reasons of one kind follow from each other: a few are enough. */
function brief(reasons: readonly string[]): string {
  const shown = reasons.slice(0, 3);
  const more = reasons.length - shown.length;
  return `${shown.join("; ")}${more > 0 ? `; and ${more} more reasons of this kind` : ""}`;
}

/** The values that a pinned parallelism could have instead; undefined where it is not what is wrong. */
function parallelismRemedy(model: ModelRequest, gpusOnNode: number, maxNodes: number): string | undefined {
  const { name, engine, tensorParallel, pipelineParallel } = model;
  const tensorKey = settingPath(engine, "tensorParallel");
  const stageKey = settingPath(engine, "pipelineParallel");
  const possible = (pinned: Partial<ModelRequest>) =>
    layoutsFor({ ...model, ...pinned }, gpusOnNode, maxNodes).filter(
      (layout) => layoutProblems(model.engine, { ...model, ...layout }).length === 0,
    );
  const tensors = possible({ tensorParallel: undefined }).map((layout) => layout.tensorParallel);
  if (tensorParallel !== undefined && tensors.length > 0) {
    return `write models.${name}.${tensorKey}: ${either(tensors)}, or remove it`;
  }
  const stages = possible({ pipelineParallel: undefined }).map((layout) => layout.pipelineParallel);
  if (pipelineParallel !== undefined && stages.length > 0) {
    return `write models.${name}.${stageKey}: ${either(stages)}, or remove it`;
  }
  const isPinned = tensorParallel !== undefined || pipelineParallel !== undefined;
  return isPinned ? `remove ${tensorKey} and ${stageKey} of models.${name}` : undefined;
}

/** "1, 2 or 4", from any order. */
function either(values: readonly number[]): string {
  const sorted = [...new Set(values)].sort((a, b) => a - b);
  const last = sorted.pop();
  return sorted.length > 0 ? `${sorted.join(", ")} or ${last}` : String(last);
}

function describe({ cpu, memoryGiB }: Capacity): string {
  return `${cpu.toFixed(1)} CPUs and ${gib(memoryGiB)}`;
}

function gib(value: number): string {
  return `${value.toFixed(1)} GiB`;
}
