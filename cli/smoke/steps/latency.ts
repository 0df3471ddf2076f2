import { chat } from "../chat";
import { type StepContext, stepSignal } from "../context";
import { milliseconds } from "../figures";
import type { StepOutcome } from "../result";

/** One request: time to first token, total time, and speed. */
export async function latency({ inference, servedModel, chatPath: path, args }: StepContext): Promise<StepOutcome> {
  const { prompt, maxTokens } = args;
  const timing = await chat(inference, { path, model: servedModel, prompt, maxTokens }, stepSignal(args));
  const words = [
    `first token ${milliseconds(timing.firstTokenMs)}`,
    `whole answer ${milliseconds(timing.totalMs)}`,
    `${timing.tokens} tokens`,
    `${timing.tokensPerSecond} tokens/s`,
    // No failure, because very small models are as fast; users then wait for the whole answer.
    ...(timing.streamed ? [] : ["came in one piece"]),
  ];
  return { detail: words.join(" · "), figures: { ...timing } };
}
