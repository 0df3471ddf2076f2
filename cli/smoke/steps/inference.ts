import { type StepContext, stepSignal } from "../context";
import { milliseconds } from "../figures";
import { StepFailure, type StepOutcome } from "../result";

/** Submits a prompt, collects the answer, and deletes both in any case. */
export async function inference({ control, model, args, onProgress }: StepContext): Promise<StepOutcome> {
  if (control === undefined) {
    return { status: "not applicable", detail: "only the control API answers asynchronously" };
  }
  const signal = stepSignal(args);
  const begun = performance.now();
  const id = await control.infer(model, args, signal);
  if (id === undefined) {
    return { status: "not applicable", detail: "the control API answers nothing asynchronously" };
  }
  try {
    const answer = await control.answer(id, onProgress, signal);
    const totalMs = Math.round(performance.now() - begun);
    if (answer.error?.code === "not_supported") {
      return { status: "not applicable", detail: `the engine of ${model} answers no chats` };
    }
    if (answer.state !== "completed" || answer.text === undefined) {
      const said = answer.error?.detail ?? answer.taskError ?? "no reason given";
      throw new StepFailure({
        expected: `the task ${id} has an answer`,
        got: answer.state === "completed" ? "one without text" : `${answer.state}: ${said}`,
        lookAt: `GET /inference/${id}, while it is kept; ${control.lookAt} and the engine's`,
      });
    }
    const { tokens, waitedSeconds = 0, finishReason } = answer;
    const words = [
      `answered after ${milliseconds(totalMs)}`,
      ...(tokens === undefined ? [] : [`${tokens} tokens`]),
      `waited ${milliseconds(waitedSeconds * 1000)} for the engine`,
    ];
    return { detail: words.join(" · "), figures: { totalMs, tokens, waitedSeconds, finishReason } };
  } finally {
    // A second failure would hide the first; the API deletes leftovers later.
    await control.forget(id, stepSignal(args)).catch(() => {});
  }
}
