import type { IncomingMessage } from "node:http";
import { Refusal } from "./answers";
import type { Tenant } from "./tenants";

/** Bytes that all requests together hold: what is one too many is refused, not kept. One tenant holds half of them at most. */
export class HeldBytes {
  private held = 0;
  private readonly byTenant = new Map<Tenant, number>();

  constructor(private readonly most: number) {}

  /** @throws Refusal */
  take(tenant: Tenant, bytes: number): void {
    const own = (this.byTenant.get(tenant) ?? 0) + bytes;
    if (this.held + bytes > this.most || own > this.most / 2) {
      throw new Refusal(503, "busy", "too many large requests at once: try again");
    }
    this.held += bytes;
    this.byTenant.set(tenant, own);
  }

  give(tenant: Tenant, bytes: number): void {
    this.held -= bytes;
    this.byTenant.set(tenant, (this.byTenant.get(tenant) ?? 0) - bytes);
  }
}

/** A body in memory; `release` gives its bytes back, once. */
export interface HeldBody {
  readonly bytes: Buffer;
  readonly release: () => void;
}

/** @throws Refusal for one that is too large, alone or together with others; Error when the client goes. */
export async function readBody(
  request: IncomingMessage,
  most: number,
  held: HeldBytes,
  tenant: Tenant,
): Promise<HeldBody> {
  const tooLarge = () => new Refusal(413, "request_too_large", `the body is larger than ${most} bytes`);
  if (Number(request.headers["content-length"] ?? 0) > most) {
    throw tooLarge();
  }
  const chunks: Buffer[] = [];
  let taken = 0;
  const release = () => {
    held.give(tenant, taken);
    taken = 0;
  };
  try {
    for await (const chunk of request) {
      const buffer = chunk as Buffer;
      if (taken + buffer.length > most) {
        throw tooLarge();
      }
      held.take(tenant, buffer.length);
      taken += buffer.length;
      chunks.push(buffer);
    }
  } catch (error) {
    release();
    throw error;
  }
  return { bytes: Buffer.concat(chunks), release };
}

/** A request that names a model. */
export interface AskedModel {
  /** As the client spells it. */
  readonly model: string;
  /** What the worker is sent, asked for the model by the name that the worker has for it. */
  readonly toWorker: (name: string) => string;
}

/**
 * Options that only concern one answer. Others decide how a model is loaded: another value has Ollama load it anew, and unload others
 * for that, pinned or not. Source: ollama v0.32.15 and v0.6.5, api/types.go (Options without Runner), server/sched.go (needsReload).
 */
const ANSWER_OPTIONS: ReadonlySet<string> = new Set([
  "num_keep",
  "seed",
  "num_predict",
  "top_k",
  "top_p",
  "min_p",
  "tfs_z",
  "typical_p",
  "repeat_last_n",
  "temperature",
  "repeat_penalty",
  "presence_penalty",
  "frequency_penalty",
  "mirostat",
  "mirostat_tau",
  "mirostat_eta",
  "penalize_newline",
  "stop",
]);

/** Levels of objects and arrays in a body; Go's decoder ends at 10,000 (encoding/json, maxNestingDepth). */
const MAX_LEVELS = 1_000;

/** Fields that the relay reads or leaves out: they may have one spelling only. */
const OWN_FIELDS: ReadonlySet<string> = new Set(["model", "name", "keep_alive", "options"]);

/**
 * Reads what a request asks for. What is sent on is written anew from that: the worker reads nothing that was not read here.
 * `keep_alive` is left out, because who stays loaded is the platform's decision.
 *
 * @param path of the call.
 * @throws Refusal
 */
export function askedModel(path: string, bytes: Buffer): AskedModel {
  const body = parse(bytes);
  for (const field of Object.keys(body)) {
    // Go reads fields in whatever case, also letters that only fold to these (encoding/json, foldName): the last one counts.
    const read = field.normalize("NFKC").toLowerCase();
    if (field !== read && OWN_FIELDS.has(read)) {
      throw new Refusal(400, "invalid_request", `the field ${JSON.stringify(field)} has to be written ${read}`);
    }
  }
  const { model: asked, keep_alive: _, ...others } = body;
  const isShown = path === "/api/show";
  // Older clients of this one call name it so.
  const model = isShown ? (asked ?? body.name) : asked;
  if (typeof model !== "string" || model === "") {
    throw new Refusal(400, "model_required", 'the body has no field "model" with the name of a model');
  }
  checkOptions(body.options);
  const rest = isShown ? { verbose: body.verbose === true } : others;
  return { model, toWorker: (name) => JSON.stringify({ ...rest, model: name }) };
}

function checkOptions(options: unknown): void {
  if (options === undefined || options === null) {
    return;
  }
  if (!isObject(options)) {
    throw new Refusal(400, "invalid_request", "options is not an object");
  }
  const foreign = Object.keys(options).find((option) => !ANSWER_OPTIONS.has(option));
  if (foreign !== undefined) {
    throw new Refusal(
      400,
      "option_not_allowed",
      `options.${foreign.slice(0, 100)} is the platform's to set, because it loads the model anew: leave it out; allowed: ${[...ANSWER_OPTIONS].join(", ")}`,
    );
  }
}

function parse(bytes: Buffer): Record<string, unknown> {
  const body = parsed(bytes);
  if (!isObject(body)) {
    throw new Refusal(400, "invalid_request", "the body is not a JSON object");
  }
  if (hasMoreLevels(body, MAX_LEVELS)) {
    throw new Refusal(400, "invalid_request", `the body has more than ${MAX_LEVELS} levels`);
  }
  return body;
}

/** @returns undefined for what is not JSON. */
function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** Level by level, so that no depth overflows the stack. */
function hasMoreLevels(body: object, most: number): boolean {
  let level: object[] = [body];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > most) {
      return true;
    }
    level = level
      .flatMap((value): unknown[] => Object.values(value))
      .filter((child): child is object => typeof child === "object" && child !== null);
  }
  return false;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
