import type { ScaledModel } from "../../../components/autoscaling/scaled-model";
import { OllamaServer } from "../../../components/serving/ollama-server";
import { TritonServer } from "../../../components/serving/triton-server";
import { VllmGroup } from "../../../components/serving/vllm-group";
import { VllmServer } from "../../../components/serving/vllm-server";
import type { ScalingPlan } from "../../../planner/scaling";
import type { ModelPlan } from "../../../planner/types";
import { scaledModels } from "../../../stacks/scaled-models";
import { groupPlan, modelPlan } from "../../harness/plans";

/** A model that follows its queue, from one replica to four. */
export function scalingPlan(changes: Partial<ScalingPlan> = {}): ScalingPlan {
  return {
    by: "keda",
    min: 1,
    max: 4,
    signals: [{ on: "queue", target: 4 }],
    pollSeconds: 15,
    scaleDownWindowSeconds: 300,
    fallbackReplicas: 1,
    schedule: [],
    spareReplicas: 0,
    coldStartSeconds: 240,
    spikeToServed: { scrape: 15, poll: 15, node: 0, load: 210, total: 240 },
    ...changes,
  };
}

/** The same, of a model that sleeps while nobody asks for it. */
export function sleepingPlan(changes: Partial<ScalingPlan> = {}): ScalingPlan {
  return scalingPlan({ min: 0, idleSeconds: 1800, ...changes });
}

const SERVERS = { vllm: VllmServer, ollama: OllamaServer, triton: TritonServer } as const;

function endpointOf(model: ModelPlan) {
  const { engine } = model;
  if (engine !== "vllm" && engine !== "ollama" && engine !== "triton") {
    throw new Error(`no endpoint for ${engine} here`);
  }
  return model.nodesPerReplica > 1 ? VllmGroup.endpointOf(model) : SERVERS[engine].endpointOf(model, undefined);
}

/** A model that is scaled, with the models that joined its server. */
export function scaledModel(scaling: ScalingPlan, plan: ModelPlan = modelPlan(), guests: readonly ModelPlan[] = []) {
  const host = { ...plan, minReplicas: scaling.min, maxReplicas: scaling.max, scaling };
  const models = [host, ...guests];
  const [scaled] = scaledModels(models, models.map(endpointOf));
  if (scaled === undefined) {
    throw new Error(`nothing scales ${plan.name}`);
  }
  return scaled satisfies ScaledModel;
}

/** A model of which each replica is a group of two nodes. */
export function scaledGroup(scaling: ScalingPlan = scalingPlan({ max: 2 })) {
  return scaledModel(scaling, groupPlan());
}
