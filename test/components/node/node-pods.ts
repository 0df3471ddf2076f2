/** Models of every kind of server whose pods can be nodes of a group, and the pods that are made for them. */
import type { NodePlan } from "../../../planner/inference-nodes";
import { allOf, NODE_PROXY } from "../../../planner/sidecars";
import type { ModelPlan } from "../../../planner/types";
import type { RecordedResource } from "../../harness/deploy";
import { groupPlan, modelPlan, ollamaPlan } from "../../harness/plans";
import { deployServing, type PodSpec } from "../serving/fixture";

interface NodeKind {
  readonly model: ModelPlan;
  /** Name of the engine's container. */
  readonly engine: string;
}

const { gpuVendor, nodeSelector, tolerations } = modelPlan();
const GPU = { gpus: 1, gpuResource: "nvidia.com/gpu" } as const;

const KINDS = {
  Ollama: {
    engine: "ollama",
    model: ollamaPlan({ gpuVendor, nodeSelector, tolerations, resources: { ...ollamaPlan().resources, ...GPU } }),
  },
  "vLLM on one node": { engine: "vllm", model: modelPlan() },
  "vLLM over nodes": { engine: "vllm", model: groupPlan() },
  "vLLM in two kinds of pods": {
    engine: "vllm",
    model: modelPlan({ engineSettings: { prefillDecode: { prefill: 1, decode: 2 } }, minReplicas: 3, maxReplicas: 3 }),
  },
  Triton: { engine: "triton", model: modelPlan({ engine: "triton", engineVersion: "26.07", task: "completion" }) },
  TGI: { engine: "tgi", model: modelPlan({ engine: "tgi", engineVersion: "3.0.1" }) },
} satisfies Record<string, NodeKind>;

export type NodeKindName = keyof typeof KINDS;
export const NODE_KINDS = Object.keys(KINDS) as NodeKindName[];

/** Name of the engine's container in the pods of that kind. */
export function engineContainer(kind: NodeKindName): string {
  return KINDS[kind].engine;
}

/** The plan of that kind's model in a group, with the sidecars of a node beside its engine: as large as without. */
export function nodeModel(kind: NodeKindName, overrides: Partial<ModelPlan> = {}): ModelPlan {
  const node: NodePlan = { group: "inference-cluster" };
  return { ...KINDS[kind].model, node, sidecars: allOf([NODE_PROXY]), ...overrides };
}

export interface PodTemplate {
  readonly metadata: { readonly labels: Record<string, string>; readonly annotations: Record<string, string> };
  readonly spec: PodSpec;
}

/** The model of that kind with its pods, by the kind of pod where it has several. */
export async function deployPods(kind: NodeKindName, overrides: Partial<ModelPlan> = {}) {
  const deployed = await deployServing([nodeModel(kind, overrides)]);
  const pods = deployed.deployment.recording.resources.flatMap(templatesOf);
  const hasEngine = ({ spec }: PodTemplate) => spec.containers.some(({ name }) => name === KINDS[kind].engine);
  return { ...deployed, pods: pods.filter(hasEngine) };
}

export function templatesOf({ inputs }: RecordedResource): PodTemplate[] {
  const spec = inputs.spec as
    | { template?: PodTemplate; leaderWorkerTemplate?: { leaderTemplate: PodTemplate; workerTemplate: PodTemplate } }
    | undefined;
  const { leaderWorkerTemplate: group, template } = spec ?? {};
  return group ? [group.leaderTemplate, group.workerTemplate] : template ? [template] : [];
}

/** The same, with the one kind of its pods that are nodes, and the others. */
export async function deployNode(kind: NodeKindName, overrides: Partial<ModelPlan> = {}) {
  const { pods, ...deployed } = await deployPods(kind, overrides);
  const isNode = ({ spec }: PodTemplate) => (spec.initContainers ?? []).some(({ name }) => name === "node");
  const nodes = pods.filter(isNode);
  const [node] = nodes;
  if (node === undefined || nodes.length > 1) {
    throw new Error(`${kind}: ${nodes.length} kinds of pods are nodes`);
  }
  return { ...deployed, node, others: pods.filter((pod) => !isNode(pod)) };
}
