import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** What a server answers to one request. */
export interface Reply {
  readonly status?: number;
  /** Text is sent as it is, all else as JSON. */
  readonly body?: unknown;
  /** Sent after the body, some milliseconds apart. */
  readonly pieces?: readonly string[];
  /** Cut the connection after the body. */
  readonly cut?: boolean;
  /** Never answer. */
  readonly hang?: boolean;
}

export interface Received {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly authorization?: string;
}

type Route = (request: Received) => Reply;
/** By method and path: `GET /api/ps`; `*` at the end stands for any rest. */
export type Routes = Readonly<Record<string, Route>>;

export interface FakeServer {
  readonly url: string;
  readonly requests: readonly (Received & { readonly method: string })[];
}

const closers: (() => void)[] = [];

/** Ends all servers: for `afterAll` of each file that starts some. */
export function closeServers(): void {
  for (const close of closers.splice(0)) {
    close();
  }
}

/** A listener on a loopback port, until `close` or `closeServers`. */
export async function listen(listener: RequestListener): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  closers.push(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

/** A server on a loopback port, until `closeServers`. */
export async function serve(routes: Routes): Promise<FakeServer> {
  const requests: (Received & { method: string })[] = [];
  const { url } = await listen((request, response) => {
    void receive(request).then((received) => {
      const { method = "" } = request;
      requests.push({ method, ...received });
      const key = `${method} ${received.path}`;
      const found = Object.entries(routes).find(([pattern]) =>
        pattern.endsWith("*") ? key.startsWith(pattern.slice(0, -1)) : key === pattern,
      );
      void reply(response, found?.[1](received) ?? { status: 404, body: { error: `no route ${key}` } });
    });
  });
  return { url, requests };
}

async function receive(request: IncomingMessage): Promise<Received> {
  let text = "";
  for await (const chunk of request) {
    text += String(chunk);
  }
  return {
    path: decodeURIComponent(request.url ?? ""),
    body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>),
    authorization: request.headers.authorization,
  };
}

async function reply(response: ServerResponse, { status = 200, body = "", pieces = [], cut, hang }: Reply) {
  if (hang) {
    return;
  }
  response.writeHead(status);
  response.write(typeof body === "string" ? body : JSON.stringify(body));
  for (const piece of pieces) {
    await sleep(20);
    response.write(piece);
  }
  if (cut) {
    setTimeout(() => response.destroy(), 20);
  } else {
    response.end();
  }
}

const chunk = (value: unknown): string => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;
const token = (content: string): string => chunk({ choices: [{ delta: { content } }] });

/** A streamed answer of four tokens. */
export const ANSWER: Reply = {
  body: [
    ": keep-alive\n\n",
    ...["one ", "two ", "three"].map(token),
    chunk({ choices: [{ delta: {}, finish_reason: "stop" }] }),
    chunk({ choices: [], usage: { completion_tokens: 4 } }),
    chunk("[DONE]"),
  ].join(""),
};
/** The same, token by token. */
export const STREAMED_ANSWER: Reply = { pieces: String(ANSWER.body).split(/(?<=\n\n)/) };
/** The same, cut off after the first token. */
export const CUT_ANSWER: Reply = { body: token("one "), cut: true };
/** The same, ended by the server after the first token. */
export const SHORT_ANSWER: Reply = { body: token("one ") };
export const EMPTY_ANSWER: Reply = {
  body: `${chunk({ choices: [{ delta: {}, finish_reason: "stop" }] })}${chunk("[DONE]")}`,
};

const lines = (...values: unknown[]): Reply => ({ body: values.map((value) => `${JSON.stringify(value)}\n`).join("") });

/** An engine that serves `chat:latest` through the OpenAI API and knows nothing else. */
export function openAi(changes: Routes = {}): Promise<FakeServer> {
  return serve({
    ...changes,
    ...missing(changes, {
      "GET /v1/models": () => ({ body: { object: "list", data: [{ id: "chat:latest" }] } }),
      "POST /v1/chat/completions": () => ANSWER,
    }),
  });
}

/** An Ollama whose model can be pulled, loaded and unloaded. */
export function ollama(changes: Routes = {}, loaded = false): Promise<FakeServer> {
  const state = { loaded, onDisk: loaded };
  const listed = (there: boolean): Reply => ({ body: { models: there ? [{ name: "chat:latest" }] : [] } });
  return openAi({
    ...changes,
    ...missing(changes, {
      "GET /api/version": () => ({ body: { version: "0.32.15" } }),
      "GET /api/ps": () => listed(state.loaded),
      "GET /api/tags": () => listed(state.onDisk),
      "POST /api/pull": () => {
        state.onDisk = true;
        return lines(
          { status: "pulling manifest" },
          { status: "pulling aaa", digest: "sha256:aaa", total: 1000, completed: 500 },
          { status: "pulling aaa", digest: "sha256:aaa", total: 1000, completed: 1000 },
          { status: "success" },
        );
      },
      "POST /api/generate": ({ body }) => {
        state.loaded = body.keep_alive !== 0;
        return { body: { done: true } };
      },
    }),
  });
}

export interface ControlState {
  loaded: boolean;
  onDisk: boolean;
  worker: "running" | "stopped";
}

/** A model control API with one worker, `gpu-1`, that needs the token "operator". */
export async function controlApi(changes: Routes = {}, start: Partial<ControlState> = {}) {
  const state: ControlState = { loaded: false, onDisk: false, worker: "running", ...start };
  const ok = { ok: true, detail: "" };
  const worker = (to: ControlState["worker"]): Route => {
    return () => {
      state.worker = to;
      return { status: 202, body: { task_ids: ["2"], task_id: "2" } };
    };
  };
  const arrives: Route = () => {
    Object.assign(state, { loaded: true, onDisk: true });
    return { status: 202, body: { task_id: "1" } };
  };
  const server = await serve({
    ...changes,
    ...missing(changes, {
      "GET /health": () => ({
        body: {
          healthy: true,
          checks: {
            control_api: ok,
            queue: ok,
            backend: ok,
            gpu_available: { ok: null, detail: "" },
            model_loaded: { ok: false, detail: "none" },
          },
        },
      }),
      "POST /models/pull": ({ authorization }) =>
        authorization === "Bearer operator"
          ? arrives({ path: "", body: {} })
          : { status: 401, body: { title: "Unauthorized", status: 401, detail: "no token", code: "unauthorized" } },
      "POST /models/load": arrives,
      "GET /tasks/*": () => ({ body: { task_id: "1", state: "completed", progress: 100 } }),
      "GET /models/*": () => ({
        body: {
          model: "chat:latest",
          state: state.loaded ? "loaded" : state.onDisk ? "on_disk" : "absent",
          pinned: false,
          placements: state.onDisk ? [{ worker: "gpu-1", state: "loaded" }] : [],
        },
      }),
      "DELETE /models/*": () => {
        state.loaded = false;
        return { status: 200, body: { model: "chat:latest", state: "on_disk" } };
      },
      "GET /workers": () => ({ body: { workers: [{ name: "gpu-1", backend: "ollama", state: state.worker }] } }),
      "POST /workers/stop": worker("stopped"),
      "POST /workers/start": worker("running"),
    }),
  });
  return { ...server, state };
}

/** The routes that are not changed; first come, first served, so that a changed one must not follow. */
function missing(changes: Routes, defaults: Routes): Routes {
  return Object.fromEntries(Object.entries(defaults).filter(([key]) => !(key in changes)));
}
