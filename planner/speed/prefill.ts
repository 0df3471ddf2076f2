/** Time to read a whole prompt, until the first token. */
import { communicationMs } from "./communication";
import { matrixMs } from "./matrix-time";
import { engineMs, launchedMs } from "./step";
import type { ReplicaSetup } from "./types";

/** Milliseconds on an idle replica; `alreadyCached` tokens precede `tokens`. */
export function prefillMs(setup: ReplicaSetup, tokens: number, alreadyCached = 0): number {
  return launchedMs(setup, promptWorkMs(setup, tokens, alreadyCached)) + engineMs(setup, 1);
}

/** Until the first token, without queueing. */
export function firstTokenMs(setup: ReplicaSetup, tokens: number, alreadyCached = 0): number {
  return prefillMs(setup, tokens, alreadyCached) + setup.coefficients.requestMs;
}

/**
 * prefillMs without a step's fixed cost: a prompt's addition to steps.
 * @param tokens of each of the `prompts` read together
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

/** One prompt's addition to steps of running sequences. */
export interface PromptBeside {
  /** Weight products by formulas only: independent of weights already read. */
  readonly matricesMs: number;
  readonly totalMs: number;
}

/**
 * One prompt's addition to running steps is its arithmetic: weights are read once for both, and a
 * longer all-reduce starts no later. Groups of data-parallel attention read their prompts
 * meanwhile: shared parts are divided.
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

/** Each token attends to earlier ones: half the square, plus everything cached. */
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
