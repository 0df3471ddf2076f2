/** Engine-independent generation requests and events. */

export const ROLES = ["system", "user", "assistant"] as const;

export interface ChatMessage {
  readonly role: (typeof ROLES)[number];
  readonly content: string;
}

/** Messages pass through the model's chat template; a prompt goes to the completion API. */
export type GenerationInput = { readonly messages: readonly ChatMessage[] } | { readonly prompt: string };

/** Sampling parameters. @default those of the engine or model */
export interface Sampling {
  readonly temperature?: number;
  readonly topP?: number;
  readonly seed?: number;
  /** Stop sequences, excluded from the answer. */
  readonly stop?: readonly string[];
}

export interface GenerationRequest {
  /** Spelled as by `nameOf`. */
  readonly model: string;
  readonly input: GenerationInput;
  readonly maxTokens: number;
  readonly sampling: Sampling;
  /** Seconds until the answer must start. */
  readonly seconds: number;
  /** Consumer whose prompt cache the engine uses. @default none */
  readonly consumer?: string;
}

/**
 * `text`: new text since the last event; empty for tokens outside the answer, such as reasoning.
 */
export type GenerationEvent =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "end";
      /** `length`: a token limit cut the answer. */
      readonly finishReason: "stop" | "length";
      /** If reported. */
      readonly promptTokens?: number;
      readonly completionTokens?: number;
    };

/** Maps engines' reasons: "length" is a token limit. */
export function finishReasonOf(words: string | null | undefined): "stop" | "length" {
  return words === "length" ? "length" : "stop";
}
