/**
 * Stands before a vLLM that writes answers, and has prompts read elsewhere: `node vllm-prefill-proxy.ts`.
 *
 * Each completion goes to a prefill pod first, for one token, which answers where its cache of the prompt lies
 * (`kv_transfer_params` of the NixlConnector, vLLM 0.33: docs/features/nixl_connector_usage.md). With that it goes to the
 * vLLM beside, which fetches the cache and answers. Where no prefill pod helps, the vLLM beside reads the prompt itself.
 *
 * Clients are strangers: bodies are bounded, only the API's own paths and known fields are passed on (`vllm-request.ts`), and
 * where a cache lies, no client may say.
 *
 * Runs as it is in a sidecar (Node 24 strips the types).
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
import { parseExact, stringifyExact } from "./exact-json.ts";
import { decodeBody, engineRequest, isCompletionPath, isMapping, type Json, prefillBody } from "./vllm-request.ts";

export interface ProxyJob {
  /** Where clients reach it. */
  readonly port: number;
  /** Base URL of the Service of prefill pods. */
  readonly prefill: string;
  /** Base URL of the vLLM beside. */
  readonly decode: string;
  /** Bytes of a request. */
  readonly maxBodyBytes: number;
  /** Milliseconds that a prompt may take in a prefill pod. */
  readonly prefillTimeoutMs: number;
}

/** Of a prefill pod: one token, and where the cache lies. */
const MAX_ANSWER_BYTES = 4 * 2 ** 20;

export function prefillProxy(job: ProxyJob): Server {
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 120_000 }, (incoming, response) => {
    answer(job, incoming, response).catch((error: unknown) => {
      console.error(`${incoming.method} ${incoming.url}: ${message(error)}`);
      refuse(response, 502, "the model server did not answer");
    });
  });
  server.maxHeadersCount = 100;
  return server;
}

async function answer(job: ProxyJob, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = new URL(incoming.url ?? "/", "http://proxy").pathname;
  if (incoming.method === "GET" && path === "/v1/models") {
    return relay(job, "GET", path, undefined, incoming.headers, response);
  }
  if (incoming.method !== "POST" || !isCompletionPath(path)) {
    return refuse(response, 404, "no such path");
  }
  const body = await read(incoming, job.maxBodyBytes).catch(() => undefined);
  if (body === undefined) {
    incoming.destroy();
    return refuse(response, 413, `a request has at most ${job.maxBodyBytes} bytes`);
  }
  const asked = parsed(body);
  if (asked === undefined) {
    return refuse(response, 400, "the body is no JSON object, or has more than 200 values in each other");
  }
  const { body: request, splits } = engineRequest(path, asked);
  const lies = splits ? await prefilled(job, path, request, incoming.headers, response) : undefined;
  return relay(job, "POST", path, decodeBody(request, lies), incoming.headers, response);
}

/** Where the cache of a prompt lies; undefined where no prefill pod read it. */
async function prefilled(
  { prefill, prefillTimeoutMs }: ProxyJob,
  path: string,
  asked: Json,
  headers: IncomingHttpHeaders,
  client: ServerResponse,
): Promise<Json | undefined> {
  // Not AbortSignal.timeout: Node may collect such a signal when only AbortSignal.any holds it, and a prefill pod that hangs would hold all.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`no answer within ${prefillTimeoutMs} ms`)), prefillTimeoutMs);
  try {
    const signal = AbortSignal.any([late.signal, goneBefore(client)]);
    const told = await send(prefill, "POST", path, signal, headers, prefillBody(asked));
    const text = await read(told, MAX_ANSWER_BYTES);
    const lies = told.statusCode === 200 ? parsed(text)?.kv_transfer_params : undefined;
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

/** Passes the answer on as it comes; when the client leaves, the engine is told. */
async function relay(
  { decode }: ProxyJob,
  method: string,
  path: string,
  body: Json | undefined,
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
  body: Json | undefined,
): Promise<IncomingMessage> {
  const text = body === undefined ? "" : stringifyExact(body);
  const headers = {
    ...(body !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
    ...(authorization !== undefined && { authorization }),
    ...(id !== undefined && { "x-request-id": id }),
    // Both kinds of pods salt their caches by it (cache_salt.py).
    ...(consumer !== undefined && { "x-consumer-id": consumer }),
  };
  // No connection is kept: the Service balances by connections.
  return new Promise((resolve, reject) => {
    request(new URL(path, base), { method, headers, signal, agent: false }, resolve).once("error", reject).end(text);
  });
}

/** @throws Error when there are more bytes. */
async function read(from: IncomingMessage, most: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of from as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > most) {
      throw new Error(`more than ${most} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Aborted when the client leaves before it has its answer. */
function goneBefore(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) {
      gone.abort();
    }
  });
  return gone.signal;
}

function parsed(text: string): Json | undefined {
  try {
    const value = parseExact(text);
    return isMapping(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function refuse(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { "content-type": "application/json" });
  const type = status < 500 ? "invalid_request_error" : "server_error";
  response.end(JSON.stringify({ error: { message: text, type, code: status } }));
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

if (process.env.RUN === "prefill-proxy") {
  const job = JSON.parse(process.env.PREFILL_PROXY ?? "{}") as ProxyJob;
  const server = prefillProxy(job).listen(job.port);
  // Answers that run may finish; the pod's own time limit ends the rest.
  process.once("SIGTERM", () => server.close(() => process.exit(0)));
}
