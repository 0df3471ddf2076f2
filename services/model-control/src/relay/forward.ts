import { type IncomingMessage, request as requestHttp, type ServerResponse } from "node:http";
import { request as requestHttps } from "node:https";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { messageOf } from "../backends/engine-client";
import { StallTimer } from "../backends/stall-timer";
import { Refusal } from "./answers";
import type { RelayLimits } from "./config";

/**
 * Connection timeout in seconds; workers are at most one hop from the cluster. Same as the
 * gateway's (components/gateway/traffic.ts).
 */
const CONNECT_SECONDS = 5;

export interface WorkerRequest {
  readonly url: string;
  /** From the table of calls, never from a client. */
  readonly path: string;
  readonly body: string;
  /** Trace headers. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Connection failed: another worker may be tried. */
export class NotConnected extends Error {}

/** Headers forwarded to the worker if they match their pattern. */
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
 * Streams a worker's answer, with backpressure from the client. Cancels when the client
 * disconnects.
 *
 * @param onSent called when the body is no longer needed.
 * @throws NotConnected, or a Refusal, before the answer starts; later an Error, after closing the
 *   client's connection so that a partial answer is not taken as complete.
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
    // An early end of any stream destroys all three: the worker stops, or the client sees the
    // abort.
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
      // A kept connection that the engine closed would fail the next request.
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

/** Workers send no redirects. */
function statusOf({ statusCode = 502 }: IncomingMessage): number {
  return statusCode >= 200 && (statusCode < 300 || statusCode >= 400) && statusCode < 600 ? statusCode : 502;
}

/** Only Ollama's content types; replaces any other. */
function contentType({ headers }: IncomingMessage): string {
  const given = headers["content-type"] ?? "";
  return /^(application\/(x-ndjson|json)|text\/event-stream)(; ?charset=utf-8)?$/i.test(given)
    ? given
    : "application/octet-stream";
}
