import { type IncomingMessage, request as requestHttp, type ServerResponse } from "node:http";
import { request as requestHttps } from "node:https";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { messageOf } from "../backends/engine-client";
import { StallTimer } from "../backends/stall-timer";
import { Refusal } from "./answers";
import type { RelayLimits } from "./config";

/** Seconds for a connection to a worker: they stand in the same cluster, or one hop from it. As the gateway's (components/gateway/traffic.ts). */
const CONNECT_SECONDS = 5;

/** What a worker is asked. */
export interface WorkerRequest {
  readonly url: string;
  /** As the table of calls has it, never a client's. */
  readonly path: string;
  readonly body: string;
  /** Those that a trace is followed by. */
  readonly headers: Readonly<Record<string, string>>;
}

/** No connection came about: another worker may be asked. */
export class NotConnected extends Error {}

/** Headers of a request that go on to the worker, as long as they look like what they should be. */
const TRACE_HEADERS: Readonly<Record<string, RegExp>> = {
  traceparent: /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/,
  "x-request-id": /^[\w.-]{1,128}$/,
};

export function traceHeaders(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(TRACE_HEADERS).flatMap(([name, shape]) => {
      const value = request.headers[name];
      return typeof value === "string" && shape.test(value) ? [[name, value]] : [];
    }),
  );
}

/**
 * Asks a worker, and hands its answer on as it comes: no faster than the client reads, and no longer than the client stays.
 *
 * @param onSent called when the body is no longer needed.
 * @throws NotConnected, or a Refusal, while nothing was answered yet. What goes wrong later cuts the client's connection, so that
 * half an answer is never taken for a whole one, and is thrown as an Error.
 */
export async function forward(
  asked: WorkerRequest,
  response: ServerResponse,
  limits: Pick<RelayLimits, "idleSeconds" | "requestSeconds">,
  signal: AbortSignal,
  onSent: () => void,
): Promise<void> {
  const idle = new StallTimer((seconds) => new Refusal(504, "worker_silent", `the model was silent for ${seconds} s`));
  const whole = new StallTimer((seconds) => new Refusal(504, "too_long", `the answer took more than ${seconds} s`));
  idle.restart(limits.idleSeconds);
  whole.restart(limits.requestSeconds);
  const both = AbortSignal.any([signal, idle.signal, whole.signal]);
  try {
    const answer = await send(asked, both, onSent);
    response.writeHead(statusOf(answer), { "content-type": contentType(answer), "cache-control": "no-store" });
    response.flushHeaders();
    const watched = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        idle.restart(limits.idleSeconds);
        done(null, chunk);
      },
    });
    // Whatever ends early destroys all three: the worker stops for a client that leaves, and the client sees a worker's end.
    await pipeline(answer, watched, response, { signal: both });
  } catch (error) {
    both.throwIfAborted();
    throw error;
  } finally {
    idle.stop();
    whole.stop();
  }
}

function send(
  { url, path, body, headers }: WorkerRequest,
  signal: AbortSignal,
  onSent: () => void,
): Promise<IncomingMessage> {
  const request = url.startsWith("https:") ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url.replace(/\/+$/, "")}${path}`, {
      method: "POST",
      headers: {
        ...headers,
        accept: "*/*",
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
      },
      signal,
      // A kept connection that the engine has closed would fail the next request.
      agent: false,
    });
    let connected = false;
    const connecting = setTimeout(() => outgoing.destroy(new Error("no connection")), CONNECT_SECONDS * 1000);
    outgoing.once("socket", (socket) => {
      socket.once("connect", () => {
        connected = true;
        clearTimeout(connecting);
      });
    });
    outgoing.once("finish", onSent);
    outgoing.once("response", resolve);
    outgoing.once("error", (error) => {
      const words = messageOf(error);
      reject(connected ? new Refusal(502, "worker_failed", "the server of the model failed") : new NotConnected(words));
    });
    outgoing.once("close", () => clearTimeout(connecting));
    outgoing.end(body);
  });
}

/** Workers redirect nobody. */
function statusOf({ statusCode = 502 }: IncomingMessage): number {
  return statusCode >= 200 && (statusCode < 300 || statusCode >= 400) && statusCode < 600 ? statusCode : 502;
}

/** One of those that Ollama answers with; anything else is shown to nobody as what it says it is. */
function contentType({ headers }: IncomingMessage): string {
  const given = headers["content-type"] ?? "";
  return /^(application\/(x-ndjson|json)|text\/event-stream)(; ?charset=utf-8)?$/i.test(given)
    ? given
    : "application/octet-stream";
}
