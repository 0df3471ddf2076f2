/**
 * Pulls, names and loads models in the Ollama server of the pod: `node model-loader.ts`. Removes
 * others first. Opens the readiness port once every model has answered, whatever the volume held.
 * Ends with the server or the first failure, and restarts. Runs unmodified in a sidecar (Node 24
 * strips the types). node:http, because fetch gives up after five minutes, and cold loads take
 * longer.
 */
import { type IncomingMessage, request } from "node:http";
import { connect, createServer } from "node:net";
import { createInterface } from "node:readline";
import type { ModelTask } from "../../../planner/types";

export interface ModelToLoad {
  /** Name in the Ollama registry, for example `llama3.2:3b`. */
  readonly tag: string;
  /** What clients put in the `model` field. */
  readonly servedName: string;
  readonly task: ModelTask;
  /** `num_ctx`, `num_batch`. @default the server's */
  readonly parameters?: Readonly<Record<string, number>>;
}

export interface ModelsToLoad {
  /** Base URL of the server. */
  readonly server: string;
  readonly models: readonly ModelToLoad[];
}

export interface LoaderJob extends ModelsToLoad {
  /** Port that opens once the models are loaded. */
  readonly readyPort: number;
}

/**
 * Reports success on the port while the server lives.
 * @throws Error with Ollama's message, or that it ended.
 */
export async function keepLoaded(job: LoaderJob): Promise<never> {
  await serverUp(job.server);
  // An idle connection, closed by the system when the process ends. Ollama sets no time limit
  // (server/routes.go, Serve: http.Server with a Handler alone).
  const ended = connectionEnd(job.server);
  await Promise.race([ended, loadModels(job)]);
  const ready = createServer((socket) => socket.on("error", () => undefined).end());
  await new Promise<void>((resolve, reject) => ready.once("error", reject).listen(job.readyPort, resolve));
  try {
    return await ended;
  } finally {
    ready.close();
  }
}

/**
 * Pulls only missing models: a replica restarts without its registry, with the same models. @throws
 * Error with Ollama's message, or that not all fit.
 */
export async function loadModels({ server, models }: ModelsToLoad): Promise<void> {
  const onDisk = await namesOnDisk(server);
  const missing = models.filter(({ tag }) => !onDisk.some((name) => sameModel(name, tag)));
  if (missing.length > 0) {
    await makeRoom(server, models, missing);
  }
  for (const { tag } of missing) {
    await pull(server, tag);
    await requireOnDisk(server, tag);
  }
  for (const model of models) {
    await nameAs(server, model);
    await load(server, model);
    console.log(`${model.tag} answers as "${model.servedName}"`);
  }
  if (models.length > 1) {
    await requireLoaded(server, models);
  }
}

/** Adds a name with parameters, without a copy. */
async function nameAs(server: string, { tag, servedName, parameters }: ModelToLoad): Promise<void> {
  if (parameters !== undefined) {
    await post(server, "/api/create", { model: servedName, from: tag, parameters, stream: false });
  } else if (!sameModel(servedName, tag)) {
    await post(server, "/api/copy", { source: tag, destination: servedName });
  }
}

/** Models may evict each other, or be the same. */
async function requireLoaded(server: string, models: readonly ModelToLoad[]): Promise<void> {
  const answer = (await json(await send(server, "GET", "/api/ps"))) as { models?: { name: string }[] };
  const loaded = (answer.models ?? []).map(({ name }) => name);
  const unloaded = models.filter(({ servedName }) => !loaded.some((name) => sameModel(name, servedName)));
  if (unloaded.length > 0) {
    const names = unloaded.map(({ servedName }) => servedName).join(", ");
    throw new Error(
      `${server}: ${names} did not stay loaded with the others; there are: ${loaded.join(", ") || "none"}`,
    );
  }
}

/** Unlimited: the server's container reports why it fails. */
async function serverUp(server: string): Promise<void> {
  for (;;) {
    try {
      await read(await send(server, "GET", "/"));
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}

function connectionEnd(server: string): Promise<never> {
  const { hostname, port } = new URL(server);
  return new Promise((_, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.once("error", (error) => reject(new Error(`the server has ended: ${message(error)}`)));
    socket.once("close", () => reject(new Error("the server has ended")));
    // Without a reader the end would not be seen.
    socket.resume();
  });
}

interface Progress {
  readonly status?: string;
  readonly digest?: string;
  readonly total?: number;
  readonly completed?: number;
  readonly error?: string;
}

async function pull(server: string, tag: string): Promise<void> {
  const response = await send(server, "POST", "/api/pull", { model: tag, stream: true });
  let last = "";
  for await (const line of createInterface({ input: response })) {
    const progress = JSON.parse(line) as Progress;
    if (progress.error) {
      throw new Error(`${server}: pull of ${tag} failed: ${progress.error}`);
    }
    last = progress.status ?? last;
    report(progress);
  }
  if (last !== "success") {
    throw new Error(`${server}: pull of ${tag} ended with "${last}" instead of "success"`);
  }
}

const reported = new Map<string, number>();

/** One line per status and per tenth of a layer. */
function report({ status = "", total, completed = 0 }: Progress): void {
  const tenths = total ? Math.floor((completed / total) * 10) : 0;
  if (reported.get(status) !== tenths) {
    reported.set(status, tenths);
    console.log(total ? `${status}: ${tenths * 10} % of ${(total / 1e9).toFixed(2)} GB` : status);
  }
}

async function requireOnDisk(server: string, tag: string): Promise<void> {
  if (!(await isOnDisk(server, tag))) {
    const names = (await namesOnDisk(server)).join(", ") || "none";
    throw new Error(`${server}: ${tag} was pulled but is not on disk; there are: ${names}`);
  }
}

/** The volume is sized for these models: others are removed first. */
async function makeRoom(
  server: string,
  models: readonly ModelToLoad[],
  missing: readonly ModelToLoad[],
): Promise<void> {
  const kept = models.filter((model) => !missing.includes(model)).flatMap(({ tag, servedName }) => [tag, servedName]);
  const tags = missing.map(({ tag }) => tag).join(", ");
  for (const model of await namesOnDisk(server)) {
    if (!kept.some((name) => sameModel(name, model))) {
      await json(await send(server, "DELETE", "/api/delete", { model }));
      console.log(`removed ${model}: the volume is for ${tags}`);
    }
  }
}

async function isOnDisk(server: string, tag: string): Promise<boolean> {
  return (await namesOnDisk(server)).some((name) => sameModel(name, tag));
}

async function namesOnDisk(server: string): Promise<string[]> {
  const { models = [] } = (await json(await send(server, "GET", "/api/tags"))) as { models?: { name: string }[] };
  return models.map(({ name }) => name);
}

/** Loads the model and keeps it loaded. */
async function load(server: string, { task, servedName }: ModelToLoad): Promise<void> {
  if (task === "embedding") {
    const answer = (await post(server, "/api/embed", { model: servedName, input: "ready", keep_alive: -1 })) as {
      embeddings?: number[][];
    };
    if (!answer.embeddings?.[0]?.length) {
      throw new Error(`${server}: ${servedName} answered without an embedding`);
    }
    return;
  }
  // A request without a prompt only loads.
  const answer = (await post(server, "/api/generate", { model: servedName, stream: false, keep_alive: -1 })) as {
    done?: boolean;
  };
  if (!answer.done) {
    throw new Error(`${server}: ${servedName} did not load: ${JSON.stringify(answer)}`);
  }
}

/** Ollama adds the tag `latest` where none is given. */
function sameModel(a: string, b: string): boolean {
  const full = (name: string): string => (name.split("/").pop()?.includes(":") ? name : `${name}:latest`);
  return full(a) === full(b);
}

async function post(server: string, path: string, body: object): Promise<unknown> {
  return json(await send(server, "POST", path, body));
}

async function json(response: IncomingMessage): Promise<unknown> {
  const text = await read(response);
  return text === "" ? {} : JSON.parse(text);
}

async function send(server: string, method: string, path: string, body?: object): Promise<IncomingMessage> {
  const text = body === undefined ? "" : JSON.stringify(body);
  // Node sets no length on DELETE.
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request(`${server}${path}`, { method, headers }, resolve);
    outgoing.once("error", (error) => reject(new Error(`${server}: ${method} ${path}: ${message(error)}`)));
    outgoing.end(text);
  });
  const status = response.statusCode ?? 0;
  if (status < 200 || status > 299) {
    throw new Error(`${server}: ${method} ${path} answered ${status}: ${await read(response)}`);
  }
  return response;
}

async function read(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function message(error: unknown): string {
  // A connection refused on several addresses has an empty message.
  return error instanceof Error ? error.message || String((error as NodeJS.ErrnoException).code) : String(error);
}

if (process.env.RUN === "model-loader") {
  // Process 1 ignores unhandled signals.
  process.once("SIGTERM", () => process.exit(0));
  keepLoaded(JSON.parse(process.env.MODEL_LOADER ?? "{}") as LoaderJob).catch((error: unknown) => {
    console.error(`failed: ${message(error)}`);
    // An unread answer would keep the process alive.
    process.exit(1);
  });
}
