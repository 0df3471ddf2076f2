import type { Item } from "./record";

/** Reasons for an incomplete answer. Engine messages may repeat the prompt, and are not stored. */
export const PROBLEMS = {
  model_not_ready: "the model was not loaded in time: see the task's error",
  not_supported: "the model's engine cannot answer this kind of request: see the task's error",
  engine_refused: "the engine refused the prompt: it may be too long for the model, or not what the model takes",
  engine_failed: "no engine answered, however often it was asked",
  time_limit: "the engine gave no token within the time for one answer",
  no_text: "the engine reached its limit of tokens without any text",
  idle: "the engine stopped sending in mid-answer: the text until then is kept",
  interrupted: "the answer broke off: the text until then is kept, and the prompt is not sent again",
  unreadable: "the prompt cannot be decrypted: its key was removed from the key file",
  answer_unreadable: "the answer cannot be decrypted: its key was removed from the key file",
  lost: "the process that worked on it ended, each time that it was tried",
} as const;
export type Problem = keyof typeof PROBLEMS;

export function isProblem(code: string): code is Problem {
  return Object.hasOwn(PROBLEMS, code);
}

/** Prompt that ended without an answer. */
export function failure(problem: Problem): Partial<Item> {
  return { state: "failed", finishReason: "error", problem };
}
