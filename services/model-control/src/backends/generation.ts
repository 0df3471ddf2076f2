/** What an engine is asked to write, and what it answers: the same for every engine. */

export const ROLES = ["system", "user", "assistant"] as const;

export interface ChatMessage {
  readonly role: (typeof ROLES)[number];
  readonly content: string;
}

/** The model's chat template makes the prompt of messages; a prompt alone is what the engine's own completion takes. */
export type GenerationInput = { readonly messages: readonly ChatMessage[] } | { readonly prompt: string };

/** How tokens are drawn. What is not set is the engine's own default, or the model's. */
export interface Sampling {
  readonly temperature?: number;
  readonly topP?: number;
  readonly seed?: number;
  /** Texts that end the answer, and are no part of it. */
  readonly stop?: readonly string[];
}

export interface GenerationRequest {
  /** As `nameOf` spells it. */
  readonly model: string;
  readonly input: GenerationInput;
  readonly maxTokens: number;
  readonly sampling: Sampling;
  /** Seconds until the answer may begin. */
  readonly seconds: number;
  /** Whose prompt it is: an engine that keeps consumers apart in its cache is told. @default nobody's */
  readonly consumer?: string;
}

/** `text`: what came since the last event; empty for tokens that are no part of the answer, as a model's thoughts. */
export type GenerationEvent =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "end";
      /** `length`: the model had more to say. */
      readonly finishReason: "stop" | "length";
      /** Where the engine tells. */
      readonly promptTokens?: number;
      readonly completionTokens?: number;
    };

/** Why an engine ended an answer, in the words of several engines: "length" stands for a limit of tokens. */
export function finishReasonOf(words: string | null | undefined): "stop" | "length" {
  return words === "length" ? "length" : "stop";
}
