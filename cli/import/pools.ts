import migProfiles from "../../catalog/mig-profiles.json";
import { nearest } from "../../catalog/nearest";
import { cards, findShape, gpuOfCard, shapes } from "../../catalog/shapes";
import { type Draft, keyOf, type MachineDraft, type ModelDraft, type PoolDraft, uniqueKeys } from "./draft";
import { isMapping } from "./path";

export interface ImportedPool {
  name: string;
  readonly machine: MachineDraft;
  readonly models: ModelDraft[];
  readonly declared?: PoolDraft;
  readonly processor: "nvidia" | "amd" | "cpu";
}

/** More than any plan uses. */
const MOST_PODS = 2000;

export function gpusPerPod({ original, block }: ModelDraft): number {
  const tensor = block.tensorParallel;
  return typeof tensor === "number" ? tensor : (original.tensorParallel ?? original.gpus ?? 1);
}

export function podsPerReplica({ original, block }: ModelDraft): number {
  const stages = block.pipelineParallel;
  return typeof stages === "number" ? stages : (original.pipelineParallel ?? 1);
}

/** 2 with disaggregated prefill. */
export function partsOf({ block }: ModelDraft): number {
  const { prefillDecode: parts } = block;
  return isMapping(parts) ? Number(parts.prefill) + Number(parts.decode) || 1 : 1;
}

/** Declared pools first. */
export function poolsOf(draft: Draft): ImportedPool[] {
  const pools: ImportedPool[] = draft.pools.map((declared) => {
    checkShape(declared.machine, () =>
      declared.ledger.wrong(["shared_node_pool_shape"], unknownShape(declared.machine.shape)),
    );
    return {
      name: declared.name,
      machine: declared.machine,
      models: [],
      declared,
      processor: processorOf(declared.machine),
    };
  });
  for (const model of draft.models) {
    const { machine } = model;
    checkShape(machine, () => model.ledger.wrong([...model.at, "recipe_node_shape"], unknownShape(machine.shape)));
    checkGpus(model);
    const pool = joined(model, pools);
    if (pool !== undefined) {
      pool.models.push(model);
      merge(pool.machine, machine);
    } else {
      pools.push({ name: "", machine: { ...machine }, models: [model], processor: processorOf(machine, model) });
    }
  }
  pools.forEach(slicesOf);
  const names = uniqueKeys(pools.map(({ name, machine, processor }) => name || poolName(machine, processor)));
  pools.forEach((pool, index) => {
    pool.name = names[index] ?? pool.name;
  });
  return pools;
}

/** Slices count as GPUs; without a named card, one that supports them. */
function slicesOf({ machine, models }: ImportedPool): void {
  const layout = machine.mig?.replace(/^all-/, "");
  const having = migProfiles.cards.filter(({ profiles }) => profiles.some(({ name }) => name === layout));
  const [model] = models;
  if (layout !== undefined && machine.shape === undefined && machine.card === undefined) {
    machine.card = cards.find(({ gpu }) => having.some(({ gpus }) => gpus.includes(gpu)))?.name;
    if (machine.card === undefined) {
      delete machine.mig;
    }
    model?.ledger.changed(
      model.at,
      machine.card === undefined
        ? `no card of the catalogue has slices ${layout}: whole cards take their place`
        : `no field names the card: ${machine.card} has slices ${layout}`,
      machine.card === undefined ? "pools.*.sharing.mig" : "pools.*.node.card",
    );
  }
  const gpu = findShape(machine.shape ?? "")?.gpu?.model ?? gpuOfCard(machine.card)?.model;
  const profiles = migProfiles.cards.find(({ gpus }) => gpu !== undefined && gpus.includes(gpu))?.profiles;
  machine.slicesPerGpu = profiles?.find(({ name }) => `all-${name}` === machine.mig)?.perGpu;
  if (machine.mig !== undefined && gpu !== undefined && machine.slicesPerGpu === undefined) {
    delete machine.mig;
    model?.ledger.wrong(model.at, `${gpu} has no slices ${layout}: whole cards take their place`);
  }
}

function unknownShape(shape: string | undefined): string {
  const close = nearest(
    shape ?? "",
    shapes.map(({ name }) => name),
  );
  return `the catalogue has no shape ${shape}${close === undefined ? "" : `, whose nearest is ${close}`}: npm run list -- shapes`;
}

function checkShape(machine: MachineDraft, note: () => void): void {
  if (machine.shape !== undefined && findShape(machine.shape) === undefined) {
    note();
    delete machine.shape;
  }
}

function checkGpus({ ledger, at, machine, original }: ModelDraft): void {
  const shape = findShape(machine.shape ?? "");
  if (shape !== undefined && shape.gpu === undefined && original.gpus !== undefined && original.gpus > 0) {
    ledger.wrong(at, `${shape.name} has no GPU, and a pod asks for ${original.gpus}: it stays pending there`);
    ledger.retract("pools.*.shape", at, "a machine with GPUs takes its place");
    delete machine.shape;
  }
}

function processorOf(machine: MachineDraft, model?: ModelDraft): ImportedPool["processor"] {
  const shape = machine.shape === undefined ? undefined : findShape(machine.shape);
  if (shape !== undefined) {
    return shape.gpu?.vendor ?? "cpu";
  }
  return machine.vendor ?? (model?.engine === "ollama" && model.original.gpus === undefined ? "cpu" : "nvidia");
}

/** Joins a declared pool, or a model's with the same machines. */
function joined(model: ModelDraft, pools: readonly ImportedPool[]): ImportedPool | undefined {
  const { machine } = model;
  const { shared } = machine;
  if (shared !== undefined) {
    const declared = pools.filter((pool) => pool.declared !== undefined);
    const named = declared.find(
      ({ declared: pool }) => shared.selector !== undefined && pool?.selector === shared.selector,
    );
    const alike = declared.find((pool) => pool.machine.shape === machine.shape);
    if (named ?? alike) {
      return named ?? alike;
    }
  }
  const processor = processorOf(machine, model);
  return pools.find(
    (pool) =>
      pool.processor === processor &&
      pool.machine.shape === machine.shape &&
      pool.machine.card === machine.card &&
      pool.machine.mig === machine.mig &&
      (machine.card === undefined || pool.machine.gpusPerNode === machine.gpusPerNode),
  );
}

function merge(into: MachineDraft, { nodes, rdma, gpusPerNode, vcpus, memoryGiB, labels, taints }: MachineDraft): void {
  if (nodes !== undefined && into.nodes !== undefined) {
    const max = (into.nodes.max ?? into.nodes.min) + (nodes.max ?? nodes.min);
    into.nodes = { min: into.nodes.min + nodes.min, max };
  }
  into.rdma = into.rdma === true || rdma === true;
  into.labels = labels ?? into.labels;
  into.taints = taints ?? into.taints;
  into.gpusPerNode = most(into.gpusPerNode, gpusPerNode);
  into.vcpus = most(into.vcpus, vcpus);
  into.memoryGiB = most(into.memoryGiB, memoryGiB);
}

function most(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}

function poolName({ shape, card }: MachineDraft, processor: ImportedPool["processor"]): string {
  const name = shape?.replace(/^(VM|BM)\.(GPU\.?)?/, "") ?? card ?? (processor === "cpu" ? "cpu" : "gpu");
  return keyOf(name);
}

/** Each pod has its GPUs on one node. */
export function nodesFor({ models }: ImportedPool, gpusPerNode: number, which: "min" | "max"): number {
  const free: number[] = [];
  const pods = models
    .flatMap((model) => {
      const { min, max = min } = model.replicas;
      const count = Math.max(which === "min" ? min : max, 1) * podsPerReplica(model) * partsOf(model);
      return new Array<number>(Math.min(Math.max(Math.ceil(count), 1), MOST_PODS)).fill(gpusPerPod(model));
    })
    .sort((a, b) => b - a);
  for (const gpus of pods) {
    const node = free.findIndex((left) => left >= gpus);
    if (node >= 0) {
      free[node] = (free[node] ?? 0) - gpus;
    } else {
      free.push(gpusPerNode - gpus);
    }
  }
  const stages = Math.max(1, ...models.map(podsPerReplica));
  return Math.max(
    free.length,
    models.some((model) => podsPerReplica(model) > 1 && gpusPerPod(model) === gpusPerNode) ? stages : 1,
  );
}
