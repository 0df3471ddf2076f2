import type { NewTask } from "../../../services/model-control/src/inference/store";

let count = 0;

/** A task as it is handed to the store, with an id of its own. */
export function newTask(prompts = 1, { owner = "token:a", model = "m:1" } = {}): NewTask {
  const task = {
    owner,
    model,
    createdAt: Date.now(),
    prompts,
    maxTokens: 8,
    seconds: 9,
    mayPull: true,
    mayStart: true,
  };
  const inputs = Array.from({ length: prompts }, (_, index) => ({ prompt: `prompt ${index}` }));
  return { id: `inference-${++count}`, task, inputs, sampling: {} };
}
