/**
 * Fields that reach engines, and whether the prompt may be prefilled elsewhere. Unlisted fields are
 * dropped: vLLM reads cache places from several (`kv_transfer_params`, `vllm_xargs`).
 */
import { type Members, readMembers, writeMembers } from "./json-members.ts";
import fields from "./vllm-request-fields.json" with { type: "json" };

export type CompletionPath = keyof typeof fields.paths;
type Treatment = keyof typeof fields.treatments;

export interface EngineRequest {
  /** The client's fields that engines may have. */
  readonly body: Members;
  /** One sequence of one prompt: one cache suffices. */
  readonly splits: boolean;
}

/** Longer than any value that decides. */
const MOST_DECIDING = 1_000;
/** Instead of a longer value: nothing takes it. */
const LONGER = Symbol("longer");
const [QUOTE = 0, OPEN_MAPPING = 0, OPEN = 0, CLOSE = 0, ...OF_TOKENS] = Buffer.from('"{[]0123456789, \t\n\r');
const TOKENS = new Set(OF_TOKENS);
/** A content part of this type, also escaped; a false match only loses the split. */
const EMBEDDINGS = /prompt_embeds|\\u00(?:5f|6[1-9a-f]|7[0-9a])/i;

const isAbsent = (value: unknown) => value === undefined || value === null;
const isCount = (value: unknown, least: number) => Number.isInteger(value) && Number(value) >= least;

/** See `SPLITS`. */
const DECIDES: Readonly<Partial<Record<Treatment, (value: unknown) => boolean>>> = {
  one: (value) => isAbsent(value) || value === 1,
  off: (value) => value === undefined || value === false,
  absent: isAbsent,
  "one or more": (value) => isAbsent(value) || isCount(value, 1),
  "none or more": (value) => value === undefined || isCount(value, 0),
  switch: (value) => isAbsent(value) || typeof value === "boolean",
  "of a stream": (value) =>
    isAbsent(value) ||
    (typeof value === "object" &&
      !Array.isArray(value) &&
      Object.values(value ?? {}).every((option) => typeof option === "boolean")),
};

/**
 * Whether the field allows prefill elsewhere, with a value that vLLM surely accepts. Undefined if
 * absent.
 */
function leavesOne(treatment: Treatment, text: Buffer | undefined): boolean {
  switch (treatment) {
    case "text":
      return text !== undefined && (text[0] === QUOTE || isListOfTokens(text));
    case "no embeddings":
      return text === undefined || !EMBEDDINGS.test(text.toString("latin1"));
    default:
      return DECIDES[treatment]?.(short(text)) ?? true;
  }
}

function isListOfTokens(text: Buffer): boolean {
  return text[0] === OPEN && text.at(-1) === CLOSE && text.subarray(1, -1).every((code) => TOKENS.has(code));
}

/** Value of a short text. */
function short(text: Buffer | undefined): unknown {
  if (text === undefined) {
    return undefined;
  }
  return text.length > MOST_DECIDING ? LONGER : JSON.parse(text.toString());
}

const NOWHERE = Buffer.from(
  JSON.stringify({
    do_remote_decode: true,
    do_remote_prefill: false,
    remote_engine_id: null,
    remote_block_ids: null,
    remote_host: null,
    remote_port: null,
  }),
);
/** `max_tokens` of completions that name none. */
const COMPLETION_TOKENS = 16;
const [FALSE, ONE] = [Buffer.from("false"), Buffer.from("1")];

export function isCompletionPath(path: string): path is CompletionPath {
  return Object.hasOwn(fields.paths, path);
}

/** @param contextTokens limit of prompt and answer. */
export function engineRequest(path: CompletionPath, asked: Members, contextTokens: number): EngineRequest {
  const treatments = fields.paths[path] as Readonly<Record<string, Treatment>>;
  const body = new Map([...asked].flatMap(([name, value]) => taken(treatments, name, value)));
  const each = Object.entries(treatments).every(([name, treatment]) => leavesOne(treatment, asked.get(name)));
  return { body, splits: each && agree(path, body, contextTokens) };
}

/**
 * vLLM checks these together, but a prefill pod gets other values: stream options, prompt logprobs,
 * and minimum and maximum of tokens.
 */
function agree(path: CompletionPath, body: Members, contextTokens: number): boolean {
  const field = (name: string) => short(body.get(name));
  const streams = field("stream") === true;
  const read = field("prompt_logprobs");
  const most = Number(field("max_completion_tokens") ?? field("max_tokens") ?? contextTokens);
  // Completions have a default maximum (CompletionRequest of 0.33.0); null is the rest of the
  // context.
  const atMost = path === "/v1/completions" && !body.has("max_tokens") ? COMPLETION_TOKENS : most;
  return (
    (streams ? isAbsent(read) || read === 0 : isAbsent(field("stream_options"))) &&
    most <= contextTokens &&
    Number(field("min_tokens") ?? 0) <= atMost
  );
}

/** One token, and the cache's place. */
export function prefillBody(body: Members): Members {
  const sent = new Map([...body, ["stream", FALSE], ["max_tokens", ONE], ["kv_transfer_params", NOWHERE]]);
  if (sent.has("max_completion_tokens")) {
    sent.set("max_completion_tokens", ONE);
  }
  sent.delete("stream_options");
  sent.delete("min_tokens");
  return sent;
}

/** @param lies result of the prefill pod, if any. */
export function decodeBody(body: Members, lies: Buffer | undefined): Members {
  return lies === undefined ? body : new Map([...body, ["kv_transfer_params", lies]]);
}

/** A field as engines get it, or nothing. */
function taken(treatments: Readonly<Record<string, string>>, name: string, value: Buffer): [string, Buffer][] {
  const treatment = Object.hasOwn(treatments, name) ? treatments[name] : "drop";
  if (treatment === "drop") {
    return [];
  }
  if (treatment !== "keys") {
    return [[name, value]];
  }
  const kept = isMapping(value)
    ? [...readMembers(value)].flatMap(([key, inner]) => taken(fields.vllm_xargs, key, inner))
    : [];
  return kept.length === 0 ? [] : [[name, Buffer.concat(writeMembers(new Map(kept)))]];
}

export function isMapping(value: Buffer | undefined): value is Buffer {
  return value?.[0] === OPEN_MAPPING;
}
