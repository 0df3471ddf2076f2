/** Planned models with an idle time: which can unload, and the effect on memory and callers. */
import { vllmOwnSettings } from "../../../engines/vllm/settings";
import type { CapacityProblem, ModelPlan } from "../../../planner/types";
import type { ModelControlConfig } from "./config";

type IdleModel = Pick<ModelPlan, "name" | "engine" | "nodesPerReplica" | "engineSettings">;
type Times = Pick<ModelControlConfig, "idle">;

/** Why a planned model stays in memory. */
export function idleProblems({ idle }: Times, models: readonly IdleModel[]): CapacityProblem[] {
  return leaving(idle, models).flatMap(({ model }) => {
    const fault = faultOf(model);
    return fault === undefined
      ? []
      : [
          {
            severity: "mandatory",
            rule: "model-control-idle",
            subject: subjectOf(model),
            message: `${fault}, or remove the time.`,
          },
        ];
  });
}

/** Effects of unloading a planned model. */
export function idleAdvice({ idle }: Times, models: readonly IdleModel[]): CapacityProblem[] {
  return leaving(idle, models)
    .filter(({ model }) => faultOf(model) === undefined)
    .map(({ model, seconds }) => ({
      severity: "advisory",
      rule: "model-control-idle",
      subject: subjectOf(model),
      message: `${model.name} leaves memory ${seconds} s after its last use, and for other models that are loaded at run time. The plan counts its memory all the same: it must come back. ${CALLERS[model.engine] ?? CALLERS_LOAD} (docs/model-control.md)`,
    }));
}

/** Gateway answers while the model is unloaded. */
const CALLERS: Readonly<Record<string, string>> = {
  ollama: "A request at the gateway waits until Ollama has loaded it again.",
  vllm: "A request at the gateway wakes it, and waits for that.",
};
const CALLERS_LOAD =
  "A request at the gateway fails until it is loaded: POST /models/load, or a task of POST /inference.";

function leaving({ models: times }: Times["idle"], models: readonly IdleModel[]) {
  return models.flatMap((model) => {
    const seconds = times[model.name];
    return typeof seconds === "number" ? [{ model, seconds }] : [];
  });
}

function faultOf(model: IdleModel): string | undefined {
  if (model.nodesPerReplica > 1) {
    return `${model.name} runs over several nodes, and the model control API drives only replicas of one node: give it fewer GPUs than one node has`;
  }
  if (model.engine === "vllm" && !vllmOwnSettings(model).sleepMode) {
    return `vLLM frees memory only by sleeping: write models.${model.name}.vllm.sleepMode: true`;
  }
  return undefined;
}

function subjectOf({ name }: IdleModel): string {
  return `modelControl.idle.models.${name}`;
}
