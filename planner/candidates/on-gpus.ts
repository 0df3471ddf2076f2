import type { GpuSpec } from "../../catalog/shapes";
import { engineOf } from "../../engines";
import { estimateServer, layoutProblems } from "../../engines/estimate";
import { decimal } from "../../names/decimal";
import { type CrossingProblem, groupDevices } from "../fabric";
import { partNotes, partProblem, turnsProblem } from "../gpu-parts";
import { cardVerdict } from "../hardware/verdict";
import type { Layout } from "../layouts";
import { chooseLayout, type LayoutOption } from "../level/choose-layout";
import { plannedConcurrency, sizingFor, speedOn, withBatch } from "../level/sized-layout";
import type { MemoryEstimate } from "../memory/types";
import { type Capacity, holds } from "../packing";
import { roomForReplicas } from "../placement";
import { exchangeMemoryGiB, gpuPodResources, hostMemoryFloorGiB } from "../pod-resources";
import type { ModelRequest, PoolRequest } from "../request";
import type { ServerModels } from "../shared-servers";
import { mostPerPod, partName } from "../slices";
import { enginePod } from "./engine-pod";
import { ONE_GPU, onGpu } from "./memory-requests";
import { beyondMachine, optionMemory, optionMemoryNotes, optionMemoryShort } from "./option-memory";
import { layoutsFor, parallelismRemedy } from "./parallelism";
import { lacksMemory, orUnread, refusalToStart, refuse, type Tried } from "./refuse";
import type { Candidate, Fit, Refusal } from "./types";
import { brief, capacityText, eachText, missText, notesOf } from "./words";

interface Spread {
  readonly maxNodes: number;
  readonly crossing: CrossingProblem | undefined;
}

/** Common to all layouts of a server on a pool. */
interface Place {
  readonly server: ServerModels;
  readonly pool: PoolRequest;
  readonly gpu: GpuSpec;
  readonly node: Capacity;
}

/** The smallest layout that fits, or the cheapest that keeps the level. */
export function fitOnGpus(
  server: ServerModels,
  pool: PoolRequest,
  gpu: GpuSpec,
  whole: Capacity,
  { maxNodes, crossing }: Spread,
): Fit {
  const { host: model, guests } = server;
  const models = [model, ...guests];
  const place: Place = { server, pool, gpu, node: roomForReplicas(whole, model.engine) };
  const unshared = turnsProblem(models, gpu);
  if (unshared) {
    return refuse(pool, unshared.reason, unshared.remedy);
  }
  const verdicts = models.map((each) => cardVerdict(each, gpu));
  const requests = models.map((each) => onGpu(gpu, each, ONE_GPU));
  const refusal = refusalToStart(pool, verdicts, requests);
  if (refusal) {
    return refusal;
  }
  const { parallelism, staysOnNode } = engineOf(model.engine);
  const wanted = parallelism.overNodes ? Math.max(1, maxNodes) : 1;
  const barrier = partProblem(gpu) ?? (wanted > 1 ? bothOf(staysOnNode?.(model), crossing) : undefined);
  const reachable = barrier ? 1 : wanted;
  const notes = [...notesOf(verdicts), ...partNotes(gpu)];

  const rules: string[] = [];
  const options: LayoutOption[] = [];
  let nearest: Tried | undefined;
  for (const layout of layoutsFor(model, mostPerPod(gpu), reachable)) {
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
    const memory = memoryOn(place, layout);
    const { estimate, each } = memory;
    if (estimate.verdict.answer !== "fits") {
      const isNearer = nearest === undefined || estimate.shortfallGiB < nearest.estimate.shortfallGiB;
      nearest = isNearer ? { layout, estimate, each } : nearest;
      continue;
    }
    const pod = podOn(place, layout, estimate);
    if ("short" in pod) {
      if (options.length > 0) {
        break;
      }
      return refuse(pool, pod.short, pod.remedy);
    }
    const { request, batchNotes, ...planned } = memory;
    const speed = speedOn(server, pool.shape, layout, { request, estimate });
    const { resources, notes: podNotes } = pod;
    const candidate: Candidate = {
      pool: pool.name,
      layout,
      ...planned,
      resources,
      notes: [...notes, ...batchNotes, ...podNotes],
      speed,
    };
    const sizing = sizingFor(model, speed);
    if (sizing === undefined) {
      return orUnread(pool, verdicts, { candidate });
    }
    options.push({ candidate, sizing });
  }
  if (options.length > 0) {
    return orUnread(pool, verdicts, chooseLayout(model, pool, options));
  }
  if (nearest === undefined) {
    return noLayout(place, rules, { reachable, barrier });
  }
  const isCrossing = barrier !== undefined && barrier === crossing;
  const spread = isCrossing ? fitOnGpus(server, pool, gpu, whole, { maxNodes, crossing: undefined }) : undefined;
  return tooLarge(place, nearest, spread && "refusal" in spread ? inVain(barrier, spread.refusal, maxNodes) : barrier);
}

/** Removing this barrier leads to the next refusal: no fix. */
function inVain(
  barrier: CrossingProblem | undefined,
  { missingPerGpuGiB }: Refusal,
  nodes: number,
): Barrier | undefined {
  const lack = missingPerGpuGiB === undefined ? "too much" : `${decimal(missingPerGpuGiB, 1)} GiB per GPU`;
  return barrier && { reason: `${barrier.reason}; over ${nodes} of them it would still lack ${lack}` };
}

/** GPU memory of a layout, and the load it is planned for. */
/** Two reasons for one node: fixing one leads to the other. */
function bothOf(one: CrossingProblem | undefined, other: CrossingProblem | undefined): CrossingProblem | undefined {
  return one && other
    ? { reason: `${one.reason}; ${other.reason}`, remedy: `${other.remedy}, and also ${one.remedy}` }
    : (one ?? other);
}

function memoryOn({ server, pool: { shape }, gpu }: Place, layout: Layout) {
  const onLayout = (asked: ModelRequest) => onGpu(gpu, asked, layout);
  const concurrency = plannedConcurrency(server, shape, layout, onLayout);
  const { request, maxNumSeqs, batchNotes } = withBatch(
    server,
    shape,
    layout,
    onLayout({ ...server.host, concurrency }),
  );
  const { together: estimate, each } = estimateServer([request, ...server.guests.map(onLayout)]);
  return { request, estimate, each, concurrency, batchNotes, ...(maxNumSeqs !== undefined && { maxNumSeqs }) };
}

interface Short {
  readonly short: string;
  readonly remedy?: string;
}

/** The pod's claim, or why the node is too small. */
function podOn(
  { server: { host: model }, pool, gpu, node }: Place,
  layout: Layout,
  { perGpu }: MemoryEstimate,
): { readonly resources: Candidate["resources"]; readonly notes: readonly string[] } | Short {
  const { shape } = pool;
  const uses = optionMemory(model, layout, gpu);
  const beyond = beyondMachine(model, uses, shape);
  if (beyond) {
    return beyond;
  }
  const weightsMemoryGiB =
    engineOf(model.engine).weightsInHostGiB?.(model, perGpu.weightsGiB * layout.gpusPerNode) ?? 0;
  const pod = { ...enginePod(model, layout.gpusPerNode), weightsMemoryGiB, optionMemory: uses };
  const resources = {
    ...gpuPodResources(shape, node, layout.gpusPerNode, pod),
    ...(layout.nodesPerReplica > 1 && groupDevices(pool)),
  };
  const { optionMemoryGiB = 0 } = resources;
  const exchangeGiB = exchangeMemoryGiB(layout.gpusPerNode);
  const beside = exchangeGiB + (pod.adapterMemoryGiB ?? 0) + pod.sidecar.memoryGiB + weightsMemoryGiB;
  const least = hostMemoryFloorGiB(layout.gpusPerNode) + beside;
  const floor = Math.ceil(least + optionMemoryGiB);
  if (resources.memoryGiB >= floor && holds(node, resources)) {
    return { resources, notes: optionMemoryNotes(uses) };
  }
  const parts = `${layout.gpusPerNode} ${gpu.slice ? partName(gpu.slice) : "GPU(s)"}`;
  const short = `${shape.name} leaves ${capacityText(node)} to models, and ${resources.memoryGiB} GiB of it to ${parts}; ${model.engine} needs ${floor} GiB and ${resources.cpu} CPUs to start`;
  const roomGiB = Math.floor((node.memoryGiB * layout.gpusPerNode) / gpu.count) - least;
  const more = `give each pod more GPUs (models.${model.name}.${model.engine}.tensorParallel)`;
  return optionMemoryShort(model, uses, { short, roomGiB, ...(layout.gpusPerNode < gpu.count && { more }) });
}

type Barrier = Pick<CrossingProblem, "reason"> & Partial<Pick<CrossingProblem, "remedy">>;

function tooLarge({ server, pool, gpu }: Place, nearest: Tried, barrier: Barrier | undefined): Fit {
  const reason = `${missText(pool, nearest, barrier)}${eachText(server, nearest.each)}`;
  return lacksMemory(pool, nearest, reason, partProblem(gpu, nearest.estimate.shortfallGiB)?.remedy ?? barrier?.remedy);
}

/** @param rules of the engine that the layouts break. */
function noLayout(
  { server: { host: model }, pool, gpu }: Place,
  rules: readonly string[],
  { reachable, barrier }: { readonly reachable: number; readonly barrier: CrossingProblem | undefined },
): Fit {
  const why =
    rules.length > 0
      ? brief(rules)
      : (beyondOneNode(model, mostPerPod(gpu)) ?? "the pinned parallelism matches no layout of this shape");
  const remedies = [barrier?.remedy, parallelismRemedy(model, mostPerPod(gpu), reachable)];
  return refuse(
    pool,
    `no layout on ${pool.shape.name} obeys the engine's rules: ${why}${barrier ? `; ${barrier.reason}` : ""}`,
    remedies.filter((remedy) => remedy !== undefined).join(", or "),
  );
}

/** Engines limited to one node: more pinned GPUs than any node has. */
function beyondOneNode(
  { engine, tensorParallel = 1, pipelineParallel = 1 }: ModelRequest,
  most: number,
): string | undefined {
  const { label, parallelism } = engineOf(engine);
  const gpus = tensorParallel * pipelineParallel;
  return parallelism.overNodes || gpus <= most
    ? undefined
    : `TP ${tensorParallel} × PP ${pipelineParallel} takes ${gpus} GPUs, and a replica of ${label} stays on one node, with ${most} here`;
}

/**
 * More nodes divide memory, not request time. Up to twice the fewest may pay, as more requests fit
 * the cache; beyond that, replicas add throughput.
 */
function hasRoomOnFewer(options: readonly LayoutOption[], { nodesPerReplica }: Layout): boolean {
  return options.some(
    ({ candidate, sizing }) =>
      nodesPerReplica > 2 * candidate.layout.nodesPerReplica &&
      (Number.isFinite(sizing.needed) || sizing.rate.missed.length > 0),
  );
}
