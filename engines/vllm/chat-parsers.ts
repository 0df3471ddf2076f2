import table from "./chat-parsers.json";

export interface ChatParsers {
  /** Value of --tool-call-parser; undefined if none is known. */
  readonly toolCalls?: string;
  /** Chat template required by the tool parser. @default the model's own */
  readonly template?: ToolTemplate;
  /**
   * Value of --reasoning-parser; undefined if the model has no reasoning output, or none is known.
   */
  readonly reasoning?: string;
  /** Value of --tokenizer-mode with the chat template; later releases select it themselves. */
  readonly tokenizerMode?: { readonly name: string; readonly until: string };
}

export interface ToolTemplate {
  /** File in examples/. */
  readonly file: string;
  /** Required to parse calls; otherwise only better than the model's own. */
  readonly needed: boolean;
}

/**
 * First release whose images have these templates (source packages of 0.30.0 to 0.33.0: COPY
 * examples in docker/Dockerfile, Dockerfile.cpu and Dockerfile.rocm).
 */
export const TEMPLATES_FROM = "0.30.0";

export interface ChatParserRow extends ChatParsers {
  /** `model_type` values of config.json; of the text model if nested. */
  readonly families: readonly string[];
  /**
   * Case-insensitive pattern for the repository or bucket URI.
   * @default every model of the family
   */
  readonly model?: string;
  readonly source: string;
  readonly asOf: string;
}

// Checked by test/engines/vllm/chat-parsers.test.ts.
export const chatParserRows = table.parsers as readonly ChatParserRow[];

/**
 * Parsers of a model; empty if unknown.
 *
 * @param family `model_type` of its config.json.
 * @param model its repository or weight URI: families do not distinguish Llama 2 from Llama 3.
 */
export function chatParsers(family: string, model: string): ChatParsers {
  const row = chatParserRows.find(
    (each) => each.families.includes(family) && (each.model === undefined || new RegExp(each.model, "i").test(model)),
  );
  const { toolCalls, template, reasoning, tokenizerMode } = row ?? {};
  return {
    ...(toolCalls && { toolCalls }),
    ...(template && { template }),
    ...(reasoning && { reasoning }),
    ...(tokenizerMode && { tokenizerMode }),
  };
}
