/** A polled server: last answer, and current failure. */
import { NoAnswer } from "../smoke/http";
import { StepFailure } from "../smoke/result";
import type { SourceState } from "./facts";

export interface Feed<Facts> {
  readonly state: SourceState;
  /** Of the last answer. */
  readonly facts?: Facts;
}

/** One request. Outside failures are no error: the last facts stay. */
export async function asked<Facts>(
  last: Feed<Facts>,
  ask: () => Promise<Facts>,
  now: () => Date,
): Promise<Feed<Facts>> {
  const { url, answeredAt } = last.state;
  try {
    const facts = await ask();
    return { state: { url, ok: true, answeredAt: now().toISOString() }, facts };
  } catch (error) {
    return { ...last, state: { url, ok: false, ...(answeredAt !== undefined && { answeredAt }), ...problemOf(error) } };
  }
}

/** @throws other errors. */
function problemOf(error: unknown): Pick<SourceState, "problem" | "lookAt"> {
  if (error instanceof NoAnswer) {
    return { problem: error.message, lookAt: error.lookAt };
  }
  if (error instanceof StepFailure) {
    return { problem: error.explanation.got, lookAt: error.explanation.lookAt };
  }
  throw error;
}
