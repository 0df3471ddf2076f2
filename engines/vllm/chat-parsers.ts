import table from "./chat-parsers.json";

/** The parsers that vLLM reads a model's answers with. */
export interface ChatParsers {
  /** Value of --tool-call-parser; absent where none is known to read the model's calls. */
  readonly toolCalls?: string;
  /** Chat template that the tool parser goes with. @default the model's own */
  readonly template?: ToolTemplate;
  /** Value of --reasoning-parser; absent where the model does not think aloud, or none is known. */
  readonly reasoning?: string;
  /** Value of --tokenizer-mode, which has the template of its chats; later releases choose it by themselves. */
  readonly tokenizerMode?: { readonly name: string; readonly until: string };
}

/** A chat template among vLLM's examples. */
export interface ToolTemplate {
  /** Its name in examples/. */
  readonly file: string;
  /** Without it no call is read; else it is only better than the model's own. */
  readonly needed: boolean;
}

/**
 * The first release whose images are known to hold the templates of the table (source packages of 0.30.0 to 0.33.0: COPY
 * examples in docker/Dockerfile, Dockerfile.cpu and Dockerfile.rocm).
 */
export const TEMPLATES_FROM = "0.30.0";

export interface ChatParserRow extends ChatParsers {
  /** `model_type` values of config.json; of the text model where it is nested. */
  readonly families: readonly string[];
  /** Pattern for the repository or the bucket's URI, upper and lower case alike. @default every model of the family */
  readonly model?: string;
  readonly source: string;
  readonly asOf: string;
}

// Checked by test/engines/vllm/chat-parsers.test.ts.
export const chatParserRows = table.parsers as readonly ChatParserRow[];

/**
 * The parsers of a model; none where the table does not know it.
 *
 * @param family `model_type` of its config.json.
 * @param model its repository, or the URI of its weights: families alone do not tell Llama 2 from Llama 3.
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
