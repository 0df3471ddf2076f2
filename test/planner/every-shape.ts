/** Every machine with GPUs of the catalogue, and ways to fill one of it with small models. */
import type { GpuSharing } from "../../catalog/gpu-sharing";
import { migLayout, migProfilesOf } from "../../catalog/mig-profiles";
import { cards, type MachineShape, onPremNode, shapes } from "../../catalog/shapes";
import { type EngineName, engineOf, type SidecarResources } from "../../engines";
import { FitCache } from "../../planner/fit-cache";
import type { MeshMode } from "../../planner/mesh-reserve";
import type { Capacity } from "../../planner/packing";
import { planDeployment } from "../../planner/plan";
import type { ModelRequest, PoolRequest } from "../../planner/request";
import { MESH_PROXY, NODE_PROXY, NODE_REGISTRATION } from "../../planner/sidecars";
import { canBeParted } from "../../planner/slices";
import type { DeploymentPlan, ModelPlan } from "../../planner/types";
import { environmentOf, gpuOf, modelOf, poolOf } from "./fixtures";

/** A machine of one's own for each card, with a host that has just enough for its two cards. */
const ownMachines = cards.map(({ name }) =>
  onPremNode({ card: name, gpuCount: 2, vcpus: 16, memoryGiB: 128, localNvmeGB: 500, networkGbps: 10 }),
);

/** Machines that a pool may have. */
export const gpuMachines: readonly MachineShape[] = [...shapes, ...ownMachines].filter(
  ({ gpu, denied }) => gpu !== undefined && denied === undefined,
);

/** Every way to part the cards of a machine: all its MIG layouts, and turns of two and of seven. */
export function sharingsOf(machine: MachineShape): GpuSharing[] {
  const layouts = migProfilesOf(gpuOf(machine).model).map((profile): GpuSharing => ({ mig: migLayout(profile) }));
  return [...layouts, ...[2, 7].map((replicas): GpuSharing => ({ timeSlicing: { replicas } }))].filter((sharing) =>
    canBeParted(machine, sharing),
  );
}

/** What else runs in pods and on nodes. */
export interface Mode {
  readonly name: string;
  readonly mesh?: MeshMode;
  readonly sidecars: readonly SidecarResources[];
}

const NODE = [NODE_PROXY, NODE_REGISTRATION];

export const MODES = {
  plain: { name: "no mesh", sidecars: [] },
  ambient: { name: "an ambient mesh", mesh: "ambient", sidecars: [] },
  sidecar: { name: "a mesh of sidecars", mesh: "sidecar", sidecars: [MESH_PROXY] },
  group: { name: "nodes of a group", sidecars: NODE },
  most: { name: "nodes of a group in a mesh of sidecars", mesh: "sidecar", sidecars: [...NODE, MESH_PROXY] },
} as const satisfies Readonly<Record<string, Mode>>;

const SMALL = modelOf("qwen2.5-0.5b-instruct", { contextTokens: 2048, concurrency: 1 });
const ON = {
  vllm: {},
  ollama: { engine: "ollama", engineVersion: "0.32.15", quantization: "Q4_K_M" },
  ray: { engine: "ray", engineVersion: "2.56.0" },
} as const satisfies Partial<Record<EngineName, Partial<ModelRequest>>>;
export type FillingEngine = keyof typeof ON;
export const fillingEngines = Object.keys(ON) as FillingEngine[];

/** A small model, with some replicas of one GPU each. */
export function smallModel(engine: FillingEngine, replicas: number, changes: Partial<ModelRequest> = {}): ModelRequest {
  return { ...SMALL, ...ON[engine], name: engine, minReplicas: replicas, maxReplicas: replicas, ...changes };
}

/** The same on all GPUs of a machine: it has two heads of keys and values, so that more GPUs take a part of its layers each. */
export function wholeModel(shape: MachineShape): ModelRequest {
  return smallModel("vllm", 1, { tensorParallel: 2, pipelineParallel: gpuOf(shape).count / 2 });
}

/** A pool of the machine, with one node at most. */
export function gpuPool(shape: MachineShape, changes: Partial<PoolRequest> = {}): PoolRequest {
  return { ...poolOf("VM.GPU.A10.1", 1), shape, name: "gpu", ...changes };
}

/** Plans differ in how many replicas they ask for, which fits do not turn on. */
const fits = new FitCache();

export function planOn(pool: PoolRequest, models: readonly ModelRequest[], { mesh, sidecars }: Mode): DeploymentPlan {
  const asked = models.map((model) => ({ ...model, sidecars }));
  return planDeployment(environmentOf([pool], asked, mesh && { mesh }), fits);
}

/** Whether a small model starts on the machine. */
export function startsOn(shape: MachineShape, engine: FillingEngine, mode: Mode): boolean {
  return planOn(gpuPool(shape), [smallModel(engine, 1)], mode).models.length > 0;
}

/** What pods of a model ask of their nodes: one for each replica, and what its engine needs once besides. */
export function podsOf({ resources, engine }: ModelPlan): {
  readonly replica: Capacity;
  readonly companion?: Capacity;
} {
  const { companion } = engineOf(engine);
  return {
    replica: resources,
    ...(companion && { companion: { gpus: 0, cpu: companion.cpu, memoryGiB: companion.memoryGiB } }),
  };
}
