import { type StepContext, stepSignal } from "../context";
import type { ModelState } from "../lifecycle";
import { OllamaLifecycle } from "../ollama";
import { StepFailure, type StepOutcome } from "../result";
import { poll } from "../wait";

/** Unloads the model and verifies it; reloads one that was loaded before. */
export async function unload(context: StepContext): Promise<StepOutcome> {
  const { lifecycle, model, args, stateBefore, onProgress } = context;
  if (lifecycle === undefined) {
    return {
      status: "not applicable",
      detail: `${context.endpoint?.kind === "node" ? "a node" : "an OpenAI API"} has no unload`,
    };
  }
  if (args.keepLoaded) {
    return { status: "skipped", detail: "--keep-loaded was given" };
  }
  await lifecycle.unload(model, stepSignal(args));
  const gone = async (): Promise<ModelState | undefined> => {
    const state = await lifecycle.state(model, stepSignal(args));
    return state === "loaded" || (await engineStillHas(context)) ? undefined : state;
  };
  const state = await poll(gone, args.timeoutSeconds, 200);
  if (state === undefined) {
    throw new StepFailure({
      expected: `${model} leaves the memory`,
      got: `it is still loaded after ${args.timeoutSeconds} s`,
      lookAt: `requests that still run, other clients that load it again; ${lifecycle.lookAt}`,
    });
  }
  if (stateBefore !== "loaded") {
    return { detail: "gone from memory, still on disk", figures: { reloaded: false } };
  }
  onProgress("loading again");
  await lifecycle.load(model, stepSignal(args));
  return { detail: "gone from memory; loaded again, as it was before", figures: { reloaded: true } };
}

/** Asks the engine itself where possible, not only the control API. */
async function engineStillHas(context: StepContext): Promise<boolean> {
  const { lifecycle, endpoint, inference, servedModel, args } = context;
  if (lifecycle instanceof OllamaLifecycle || endpoint?.kind !== "ollama") {
    return false;
  }
  return (await new OllamaLifecycle(inference, false).state(servedModel, stepSignal(args))) === "loaded";
}
