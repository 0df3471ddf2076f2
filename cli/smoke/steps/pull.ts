import { type StepContext, stepSignal } from "../context";
import { StepFailure, type StepOutcome } from "../result";

/** Pulls and loads the model; if on disk, only loads, without the registry. */
export async function pull(context: StepContext): Promise<StepOutcome> {
  const { lifecycle, model, args, stateBefore, onProgress } = context;
  if (model === "") {
    const got = context.endpoint?.kind === "node" ? "a node does not say which it serves" : "--url serves none";
    throw new StepFailure({ expected: "a model to try", got, lookAt: "--model, which names one" });
  }
  if (lifecycle === undefined) {
    return isServed(context);
  }
  await lifecycle.pull(model, { onProgress, stallSeconds: args.timeoutSeconds });
  const state = await lifecycle.state(model, stepSignal(args));
  if (state !== "loaded") {
    throw new StepFailure({
      expected: `${model} is loaded after its pull`,
      got: `the state ${state}`,
      lookAt: `free memory, other models that took it; ${lifecycle.lookAt}`,
    });
  }
  const was = stateBefore === undefined || stateBefore === "absent" ? "pulled" : `was ${stateBefore.replace("_", " ")}`;
  return { detail: stateBefore === "loaded" ? "was loaded" : `${was}, now loaded`, figures: { stateBefore, state } };
}

/** Without pull, the model must be served already. */
function isServed({ endpoint, servedModel }: StepContext): StepOutcome {
  if (endpoint?.kind === "node") {
    return { status: "not applicable", detail: `a node has no pull; ${servedModel} is asked for` };
  }
  const models = endpoint?.models ?? [];
  if (!models.includes(servedModel)) {
    throw new StepFailure({
      expected: `${servedModel} is among the models that --url serves`,
      got: models.length === 0 ? "none" : models.join(", "),
      lookAt: "--model; whether the model is deployed and ready",
    });
  }
  return { status: "not applicable", detail: `an OpenAI API has no pull; ${servedModel} is served` };
}
