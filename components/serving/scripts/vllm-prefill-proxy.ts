/**
 * Proxy of a decoding vLLM: `node vllm-prefill-proxy.ts`. Each completion goes to a prefill pod for
 * one token, which returns the place of its cache (`kv_transfer_params` of the NixlConnector, vLLM
 * 0.33: docs/features/nixl_connector_usage.md), then to the local vLLM. Without a prefill pod the
 * local vLLM reads the prompt. Clients are untrusted: bodies are bounded by size, time and client;
 * only known paths and fields pass (`vllm-request.ts`). Runs unmodified in a sidecar (Node 24
 * strips the types).
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { pipeline } from "node:stream/promises";
import { type ArrivalRate, arriving, piecesOf, SlowBody } from "./body-arrival.ts";
import { HeldBytes, type HeldShare } from "./held-bytes.ts";
import { type Members, readMembers, writeMembers } from "./json-members.ts";
import { decodeBody, engineRequest, isCompletionPath, isMapping, prefillBody } from "./vllm-request.ts";

export interface ProxyJob {
  /** Where clients reach it. */
  readonly port: number;
  /** Base URL of the Service of prefill pods. */
  readonly prefill: string;
  /** Base URL of the local vLLM. */
  readonly decode: string;
  /** Bytes of a request. */
  readonly maxBodyBytes: number;
  /** Of unanswered requests; half for one client. */
  readonly maxHeldBytes: number;
  readonly arrival: ArrivalRate;
  /** Tokens of a prompt and its answer. */
  readonly contextTokens: number;
  readonly prefillTimeoutMs: number;
}

/** One token and the cache's place. */
const MAX_ANSWER_BYTES = 4 * 2 ** 20;
/** Overhead per piece of a body; pieces may be one byte. */
const PIECE_BYTES = 512;

/** Why a request is not answered. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

export function prefillProxy(job: ProxyJob): Server {
  const held = new HeldBytes(job.maxHeldBytes);
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 120_000 }, (incoming, response) => {
    // The gateway sets the caller, and removes clients' values.
    const share = held.share(incoming.headers["x-consumer-id"]?.toString());
    answer(job, incoming, response, share)
      .catch((error: unknown) => {
        if (error instanceof Refusal) {
          return refuse(response, error);
        }
        console.error(`${incoming.method} ${incoming.url}: ${message(error)}`);
        refuse(response, new Refusal(502, "the model server did not answer"));
      })
      .finally(() => share.end());
  });
  server.maxHeadersCount = 100;
  return server;
}

async function answer(
  job: ProxyJob,
  incoming: IncomingMessage,
  response: ServerResponse,
  share: HeldShare,
): Promise<void> {
  const path = new URL(incoming.url ?? "/", "http://proxy").pathname;
  if (incoming.method === "GET" && path === "/v1/models") {
    return relay(job, "GET", path, undefined, incoming.headers, response);
  }
  if (incoming.method !== "POST" || !isCompletionPath(path)) {
    throw new Refusal(404, "no such path");
  }
  const asked = await receive(incoming, job, share);
  const { body, splits } = understood(() => engineRequest(path, readMembers(asked), job.contextTokens));
  const lies = splits ? await prefilled(job, path, body, incoming.headers, response) : undefined;
  return relay(job, "POST", path, decodeBody(body, lies), incoming.headers, response);
}

function understood<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Refusal(400, `the body cannot be read: ${message(error)}`);
  }
}

/** Undefined without prefill elsewhere. */
async function prefilled(
  { prefill, prefillTimeoutMs }: ProxyJob,
  path: string,
  asked: Members,
  headers: IncomingHttpHeaders,
  client: ServerResponse,
): Promise<Buffer | undefined> {
  // Not AbortSignal.timeout: Node may collect it when only AbortSignal.any holds it.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`no answer within ${prefillTimeoutMs} ms`)), prefillTimeoutMs);
  try {
    const signal = AbortSignal.any([late.signal, goneBefore(client)]);
    const told = await send(prefill, "POST", path, signal, headers, prefillBody(asked));
    const text = await read(piecesOf(told), MAX_ANSWER_BYTES);
    const lies = told.statusCode === 200 ? readMembers(text).get("kv_transfer_params") : undefined;
    if (isMapping(lies)) {
      return lies;
    }
    console.warn(`a prefill pod answered ${told.statusCode} without a cache: the prompt is read here`);
  } catch (error) {
    console.warn(`no prefill pod read the prompt, it is read here: ${message(error)}`);
  } finally {
    clearTimeout(timer);
  }
  return undefined;
}

/** Streams the answer; cancels when the client leaves. */
async function relay(
  { decode }: ProxyJob,
  method: string,
  path: string,
  body: Members | undefined,
  headers: IncomingHttpHeaders,
  response: ServerResponse,
): Promise<void> {
  const left = goneBefore(response);
  const told = await send(decode, method, path, left, headers, body);
  const { "content-type": type = "application/json", "x-request-id": id } = told.headers;
  response.writeHead(told.statusCode ?? 502, { "content-type": type, ...(id !== undefined && { "x-request-id": id }) });
  await pipeline(told, response).catch((error: unknown) => {
    if (!left.aborted) {
      throw error;
    }
  });
}

function send(
  base: string,
  method: string,
  path: string,
  signal: AbortSignal,
  { authorization, "x-request-id": id, "x-consumer-id": consumer }: IncomingHttpHeaders,
  body: Members | undefined,
): Promise<IncomingMessage> {
  const pieces = body === undefined ? [] : writeMembers(body);
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const headers = {
    ...(body !== undefined && { "content-type": "application/json", "content-length": length }),
    ...(authorization !== undefined && { authorization }),
    ...(id !== undefined && { "x-request-id": id }),
    // Both salt caches by it (cache_salt.py).
    ...(consumer !== undefined && { "x-consumer-id": consumer }),
  };
  // No connection is kept: the Service balances by connections.
  return new Promise((resolve, reject) => {
    const asking = request(new URL(path, base), { method, headers, signal, agent: false }, resolve).on("error", reject);
    for (const piece of pieces) {
      asking.write(piece);
    }
    asking.end();
  });
}

/**
 * A client's body.
 * @throws Refusal
 */
async function receive(
  incoming: IncomingMessage,
  { maxBodyBytes, arrival }: ProxyJob,
  share: HeldShare,
): Promise<Buffer> {
  try {
    return await read(arriving(incoming, arrival), maxBodyBytes, share);
  } catch (error) {
    throw error instanceof SlowBody ? new Refusal(408, "the body came too slowly") : error;
  }
}

/** @throws Refusal for too many bytes, alone or in total. */
async function read(body: AsyncIterable<Buffer>, most: number, share?: HeldShare): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  // Drained, so that the sender reads the answer.
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > most) {
      throw new Refusal(413, `a request has at most ${most} bytes`);
    }
    if (share?.take(piece.length + PIECE_BYTES) === false) {
      throw new Refusal(503, "too many requests are under way: ask again");
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Aborts when the client leaves early. */
function goneBefore(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) {
      gone.abort();
    }
  });
  return gone.signal;
}

function refuse(response: ServerResponse, { status, message }: Refusal): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, {
    "content-type": "application/json",
    ...(status === 503 && { "retry-after": "1" }),
    // Does not wait for the rest of the body.
    ...(status === 408 && { connection: "close" }),
  });
  const type = status < 500 ? "invalid_request_error" : "server_error";
  response.end(JSON.stringify({ error: { message, type, code: status } }));
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

if (process.env.RUN === "prefill-proxy") {
  const job = JSON.parse(process.env.PREFILL_PROXY ?? "{}") as ProxyJob;
  const server = prefillProxy(job).listen(job.port);
  // Running answers may finish, within the pod's grace.
  process.once("SIGTERM", () => server.close(() => process.exit(0)));
}
