import type { IncomingMessage } from "node:http";
import { Refusal } from "./answers";
import type { Tenant } from "./tenants";

/** Total bytes held by requests; refuses what exceeds the limit. One tenant may hold half. */
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

/** Buffered body; `release` frees its bytes once. */
export interface HeldBody {
  readonly bytes: Buffer;
  readonly release: () => void;
}

/** @throws Refusal for a body too large, alone or in total; Error when the client disconnects. */
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

export interface AskedModel {
  /** In the client's spelling. */
  readonly model: string;
  /** Body for the worker, with the worker's model name. */
  readonly toWorker: (name: string) => string;
}

/**
 * Options of a single answer. Any other option makes Ollama reload the model, and unload others for
 * it, even pinned ones. Source: ollama v0.32.15 and v0.6.5, api/types.go (Options without Runner),
 * server/sched.go (needsReload).
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

/** Nesting limit of a body; Go's decoder allows 10,000 (encoding/json, maxNestingDepth). */
const MAX_LEVELS = 1_000;

/** Fields that the relay reads or removes; other spellings are refused. */
const OWN_FIELDS: ReadonlySet<string> = new Set(["model", "name", "keep_alive", "options"]);

/**
 * Parses a request. The worker's body is serialized from checked fields only. Removes `keep_alive`:
 * the platform decides what stays loaded.
 *
 * @param path of the call.
 * @throws Refusal
 */
export function askedModel(path: string, bytes: Buffer): AskedModel {
  const body = parse(bytes);
  for (const field of Object.keys(body)) {
    // Go matches field names case-insensitively, with Unicode folding; the last one wins
    // (encoding/json, foldName).
    const read = field.normalize("NFKC").toLowerCase();
    if (field !== read && OWN_FIELDS.has(read)) {
      throw new Refusal(400, "invalid_request", `the field ${JSON.stringify(field)} has to be written ${read}`);
    }
  }
  const { model: asked, keep_alive: _, ...others } = body;
  const isShown = path === "/api/show";
  // Older clients use `name` in this call.
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
      `options.${foreign.slice(0, 100)} is not allowed, because it reloads the model: remove it; allowed: ${[...ANSWER_OPTIONS].join(", ")}`,
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

/** @returns undefined for invalid JSON. */
function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** Iterates by level, as recursion could overflow the stack. */
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
