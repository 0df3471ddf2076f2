import { request as requestHttp } from "node:http";
import { connect } from "node:net";
import { pino } from "pino";
import { relaySchema } from "../../../../services/model-control/src/relay/config";
import { type Relay, startRelay } from "../../../../services/model-control/src/relay/start";
import { HttpStub, type StubAnswer, type StubRequest } from "../http-stub";

export interface WorkerStub {
  readonly url: string;
  readonly http: HttpStub;
  /** What it was asked beside what it has. */
  readonly asked: () => readonly StubRequest[];
}

/** An Ollama with these models, each `true` where it is loaded, that answers the rest as it is told. */
export async function workerStub(
  models: Readonly<Record<string, boolean>>,
  answer: (request: StubRequest) => StubAnswer | Promise<StubAnswer> = () => ({ body: { ok: true } }),
): Promise<WorkerStub> {
  const http = await HttpStub.listen((request) => {
    const entries = Object.entries(models);
    switch (`${request.method} ${request.path}`) {
      case "GET /api/tags":
        return { body: { models: entries.map(([name]) => ({ name, size: 1, digest: "abc", secret: "no" })) } };
      case "GET /api/ps":
        return {
          body: { models: entries.filter(([, on]) => on).map(([name]) => ({ name, size: 1, size_vram: 0 })) },
        };
      case "GET /api/version":
        return { body: { version: "0.32.15" } };
      default:
        return answer(request);
    }
  });
  const own = ["/api/tags", "/api/ps", "/api/version"];
  return { url: http.url, http, asked: () => http.requests.filter(({ path }) => !own.includes(path)) };
}

export const ANYONE = { "x-consumer-id": "anyone" };

/** A relay on free ports in front of these, with Ollama's API on; callers: anyone, one with a model, one with a token limit. */
export async function relayBefore(
  urls: readonly string[],
  settings: Readonly<Record<string, unknown>> = {},
  now?: () => number,
): Promise<Relay> {
  const config = relaySchema.parse({
    workers: urls.map((url, index) => ({ name: `w${index}`, url })),
    tenants: { anyone: {}, narrow: { models: ["planned"] }, counted: { ollamaApi: false } },
    ollamaApi: true,
    ...settings,
  });
  const listen = { host: "127.0.0.1", port: 0, adminPort: 0 };
  return startRelay({ ...config, listen }, pino({ level: "silent" }), now);
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** @param body as JSON, or as it stands where it is text. */
export async function ask(
  relay: Relay,
  target: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = ANYONE,
): Promise<Answered> {
  const response = await fetch(`${relay.url}${target}`, {
    ...(body !== undefined && { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) }),
    headers,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
}

/** With a request line that no well-mannered client would send. @returns the status. */
export function statusOf(relay: Relay, method: string, target: string, body = '{"model":"planned"}'): Promise<number> {
  const { port } = new URL(relay.url);
  return new Promise((resolve, reject) => {
    const request = requestHttp({ port, method, path: target, headers: { ...ANYONE, "content-length": body.length } });
    request.once("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.once("error", reject);
    request.end(body);
  });
}

/** Sends bytes as they are. @returns all that comes back until the connection ends. */
export function raw(relay: Relay, text: string): Promise<string> {
  const { port, hostname } = new URL(relay.url);
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.on("data", (chunk: Buffer) => {
      answer += chunk.toString("latin1");
    });
    socket.once("close", () => resolve(answer));
    socket.once("error", reject);
  });
}
