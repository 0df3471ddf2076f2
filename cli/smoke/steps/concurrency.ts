import { type ChatTiming, chat } from "../chat";
import { type StepContext, stepSignal } from "../context";
import { milliseconds } from "../figures";
import { NoAnswer } from "../http";
import { StepFailure, type StepOutcome } from "../result";

/** Parallel requests with different prompts, so that no cache answers: all must succeed. */
export async function concurrency({ inference, servedModel, chatPath: path, args }: StepContext): Promise<StepOutcome> {
  const { prompt, maxTokens } = args;
  const signal = stepSignal(args);
  const outcomes = await Promise.all(
    Array.from({ length: args.concurrency }, (_, index) => {
      const request = { path, model: servedModel, prompt: `(${index + 1}) ${prompt}`, maxTokens };
      return chat(inference, request, signal).catch(reasonOf);
    }),
  );
  const answered = outcomes.filter((outcome): outcome is ChatTiming => !("lookAt" in outcome));
  const times = outcomes.map((outcome) => ("lookAt" in outcome ? "failed" : milliseconds(outcome.totalMs))).join(", ");
  const refusals = outcomes.filter((outcome) => "lookAt" in outcome);
  const [first] = refusals;
  if (first !== undefined) {
    throw new StepFailure({
      expected: `all ${args.concurrency} requests at once answer`,
      got: `${answered.length} did (${times}); ${[...new Set(refusals.map(({ got }) => got))].join("; ")}`,
      lookAt: first.lookAt,
    });
  }
  return {
    detail: `${answered.length} of ${args.concurrency} answered: ${times}`,
    figures: { requests: answered.map((timing) => ({ ...timing })) },
  };
}

function reasonOf(error: unknown): { readonly got: string; readonly lookAt: string } {
  if (error instanceof StepFailure) {
    return error.explanation;
  }
  if (error instanceof NoAnswer) {
    return { got: error.message, lookAt: error.lookAt };
  }
  throw error;
}
