/**
 * What of a client's request reaches vLLM's engines, and whether its prompt may be read elsewhere.
 *
 * Fields that `vllm-request-fields.json` does not list go to no engine: vLLM reads more than one place for where a cache lies
 * (`kv_transfer_params`, and `vllm_xargs`, which becomes the same mapping), and a later release may have a third.
 */
import fields from "./vllm-request-fields.json" with { type: "json" };

export type Json = Record<string, unknown>;
export type CompletionPath = keyof typeof fields.paths;
type Treatment = keyof typeof fields.treatments;

export interface EngineRequest {
  /** The client's fields that engines may have. */
  readonly body: Json;
  /** It asks for one sequence of one prompt, so that one cache answers it. */
  readonly splits: boolean;
}

const isAbsent = (value: unknown) => value === undefined || value === null;

/**
 * Of a field that decides it: whether its value leaves one sequence, and, where a prefill pod gets another value or none, whether vLLM
 * takes it for sure: what the engine that answers would refuse, or might, goes there at once, and no prefill pod works for it.
 * Undefined where the field is absent.
 */
const SPLITS: Readonly<Partial<Record<Treatment, (value: unknown) => boolean>>> = {
  one: (value) => isAbsent(value) || value === 1,
  off: (value) => value === undefined || value === false,
  absent: isAbsent,
  "one or more": (value) => isAbsent(value) || (Number.isInteger(value) && Number(value) >= 1),
  "none or more": (value) => value === undefined || (Number.isInteger(value) && Number(value) >= 0),
  switch: (value) => isAbsent(value) || typeof value === "boolean",
  "of a stream": (value) =>
    isAbsent(value) || (isMapping(value) && Object.values(value).every((option) => typeof option === "boolean")),
  text: (value) => typeof value === "string" || (Array.isArray(value) && value.every(Number.isInteger)),
  "no embeddings": (value) => !Array.isArray(value) || !value.some(hasEmbeddings),
};

const NOWHERE = {
  do_remote_decode: true,
  do_remote_prefill: false,
  remote_engine_id: null,
  remote_block_ids: null,
  remote_host: null,
  remote_port: null,
};

export function isCompletionPath(path: string): path is CompletionPath {
  return Object.hasOwn(fields.paths, path);
}

export function engineRequest(path: CompletionPath, asked: Json): EngineRequest {
  const treatments = fields.paths[path] as Readonly<Record<string, Treatment>>;
  return {
    body: Object.fromEntries(
      Object.entries(asked).flatMap(([name, value]) => taken(treatments, name, value).map((kept) => [name, kept])),
    ),
    splits:
      Object.entries(treatments).every(([name, treatment]) => SPLITS[treatment]?.(asked[name]) ?? true) && agree(asked),
  };
}

/** What vLLM asks of fields together, of which a prefill pod gets none: a stream with its options, and no more tokens at least than at most. */
function agree({ stream, stream_options, min_tokens, max_tokens, max_completion_tokens }: Json): boolean {
  const most = isAbsent(max_completion_tokens) ? max_tokens : max_completion_tokens;
  return (isAbsent(stream_options) || stream === true) && (isAbsent(most) || Number(min_tokens ?? 0) <= Number(most));
}

/** For a prefill pod: one token, and where the cache of the prompt lies. */
export function prefillBody({ stream_options: _, min_tokens: __, ...body }: Json): Json {
  return {
    ...body,
    stream: false,
    max_tokens: 1,
    ...("max_completion_tokens" in body && { max_completion_tokens: 1 }),
    kv_transfer_params: NOWHERE,
  };
}

/** For the engine that answers. `lies` is what a prefill pod said, undefined where none read the prompt. */
export function decodeBody(body: Json, lies: Json | undefined): Json {
  return lies === undefined ? body : { ...body, kv_transfer_params: lies };
}

export function isMapping(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of a field as engines get it, or nothing. */
function taken(treatments: Readonly<Record<string, string>>, name: string, value: unknown): unknown[] {
  const treatment = Object.hasOwn(treatments, name) ? treatments[name] : "drop";
  if (treatment === "drop") {
    return [];
  }
  if (treatment !== "keys") {
    return [value];
  }
  const kept = Object.entries(isMapping(value) ? value : {}).filter(
    ([key, inner]) => taken(fields.vllm_xargs, key, inner).length > 0,
  );
  return kept.length === 0 ? [] : [Object.fromEntries(kept)];
}

function hasEmbeddings(message: unknown): boolean {
  return (
    isMapping(message) &&
    Array.isArray(message.content) &&
    message.content.some((part) => isMapping(part) && part.type === "prompt_embeds")
  );
}
