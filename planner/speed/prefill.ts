/** Time to read a prompt: all of its tokens at once, until the first token of the answer. */
import { communicationMs } from "./communication";
import { matrixMs } from "./matrix-time";
import { engineMs, launchedMs } from "./step";
import type { ReplicaSetup } from "./types";

/**
 * Milliseconds to read `tokens` of a prompt of which `alreadyCached` tokens before them are in the cache, on an idle replica.
 */
export function prefillMs(setup: ReplicaSetup, tokens: number, alreadyCached = 0): number {
  return launchedMs(setup, promptWorkMs(setup, tokens, alreadyCached)) + engineMs(setup, 1);
}

/** The same until the first token of a request that waits for no other. */
export function firstTokenMs(setup: ReplicaSetup, tokens: number, alreadyCached = 0): number {
  return prefillMs(setup, tokens, alreadyCached) + setup.coefficients.requestMs;
}

/**
 * The same as prefillMs without what every step costs anyway: what prompts add to steps that others wait for.
 * @param tokens of each of so many `prompts` that are read together
 */
export function promptWorkMs(setup: ReplicaSetup, tokens: number, alreadyCached = 0, prompts = 1): number {
  if (tokens <= 0) {
    return 0;
  }
  const matrices = matrixMs(setup, prompts * tokens, promptShare(setup), prompts);
  const factor = setup.calibration?.prompt ?? 1;
  return (
    factor *
    (matrices.totalMs + prompts * attentionMs(setup, tokens, alreadyCached) + communicationMs(setup, prompts * tokens))
  );
}

/** What reading prompts adds to steps that running sequences take anyway, for one prompt. */
export interface PromptBeside {
  /** Products with the weights by the formulas alone: they wait for nothing that a step has read already. */
  readonly matricesMs: number;
  readonly totalMs: number;
}

/**
 * What reading one prompt adds to steps that running sequences take anyway: its arithmetic. The weights are read once for both,
 * and an all-reduce more tokens long begins no later. Groups of a data-parallel attention each read a prompt of their own
 * meanwhile: of what they share, one prompt has its part.
 */
export function promptBeside(setup: ReplicaSetup, tokens: number, alreadyCached: number): PromptBeside {
  if (tokens <= 0) {
    return { matricesMs: 0, totalMs: 0 };
  }
  const prompts = setup.attentionDataParallel ?? 1;
  const { computeMs } = matrixMs(setup, prompts * tokens, promptShare(setup), prompts);
  const exchanged = communicationMs(setup, prompts * tokens) - communicationMs(setup, 0);
  const factor = setup.calibration?.prompt ?? 1;
  return {
    matricesMs: computeMs / prompts,
    totalMs: (factor * (computeMs + attentionMs(setup, tokens, alreadyCached) + exchanged)) / prompts,
  };
}

function promptShare({ coefficients }: ReplicaSetup): number {
  return coefficients.prefillCompute * coefficients.engineCompute;
}

/** Each token attends to those before it: half of the square, and all that was cached. */
function attentionMs(setup: ReplicaSetup, tokens: number, cached: number): number {
  const { work, card, tensorParallel } = setup;
  const operationsPerMs = card.tflops.dense16 * 1e9 * promptShare(setup) * tensorParallel;
  let operations = 0;
  for (const { mostTokens = Number.POSITIVE_INFINITY, promptOperationsPerToken } of work.caches) {
    const meanReach = Math.min(cached + tokens / 2, mostTokens);
    operations += promptOperationsPerToken * tokens * meanReach;
  }
  return operations / operationsPerMs;
}
