/**
 * Brings one model into every replica of an Ollama server and proves that it answers: `node warm-pull.ts`.
 *
 * For each replica: wait for the server, remove the model that was there before, pull (Ollama goes on with a partial download by itself), check that the
 * model is on disk, give it the name that clients use, load it once. The last step gives it the name that the
 * readiness probe asks for, so a replica takes requests only after it has answered one.
 *
 * Runs as it is in the Job's container (Node 24 strips the types). node:http, because fetch gives up on an answer
 * that begins later than five minutes, and a cold load may take longer.
 */
import { type IncomingMessage, request } from "node:http";
import { createInterface } from "node:readline";
import type { ModelTask } from "../../../planner/types";

export interface WarmPull {
  /** Base URL of each replica's own address. */
  readonly servers: readonly string[];
  /** Name in the Ollama registry, for example `llama3.2:3b`. */
  readonly tag: string;
  /** What clients put in the `model` field. */
  readonly servedName: string;
  /** Name that the readiness probe asks for. */
  readonly readyName: string;
  readonly task: ModelTask;
  /** Seconds to wait for a server to come up. */
  readonly startTimeoutSeconds: number;
}

/** @throws Error with what Ollama said, and which replica said it. */
export async function warmPull(job: WarmPull): Promise<void> {
  for (const server of job.servers) {
    await waitForServer(server, job.startTimeoutSeconds);
    await makeRoom(server, job.tag);
    await pull(server, job.tag);
    await requireOnDisk(server, job.tag);
    if (!sameModel(job.servedName, job.tag)) {
      await post(server, "/api/copy", { source: job.tag, destination: job.servedName });
    }
    await load(server, job);
    await post(server, "/api/copy", { source: job.tag, destination: job.readyName });
    console.log(`${server}: ${job.tag} answers as "${job.servedName}"`);
  }
}

async function waitForServer(server: string, timeoutSeconds: number): Promise<void> {
  const deadline = Date.now() + timeoutSeconds * 1000;
  for (;;) {
    try {
      await send(server, "GET", "/");
      return;
    } catch (error) {
      if (Date.now() > deadline) {
        throw new Error(`no answer within ${timeoutSeconds} s: ${message(error)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
  }
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

/** One line for each status, and one for each tenth of a layer. */
function report({ status = "", total, completed = 0 }: Progress): void {
  const tenths = total ? Math.floor((completed / total) * 10) : 0;
  if (reported.get(status) !== tenths) {
    reported.set(status, tenths);
    console.log(total ? `${status}: ${tenths * 10} % of ${(total / 1e9).toFixed(2)} GB` : status);
  }
}

async function requireOnDisk(server: string, tag: string): Promise<void> {
  const names = await namesOnDisk(server);
  if (!names.some((name) => sameModel(name, tag))) {
    throw new Error(`${server}: ${tag} was pulled but is not on disk; there are: ${names.join(", ") || "none"}`);
  }
}

/**
 * The volume is planned for one model: before another one comes, the old one goes under all its names. With the name
 * that the readiness probe asks for, the replica leaves the rotation until the new model answers.
 */
async function makeRoom(server: string, tag: string): Promise<void> {
  const names = await namesOnDisk(server);
  if (names.some((name) => sameModel(name, tag))) {
    return;
  }
  for (const model of names) {
    await json(await send(server, "DELETE", "/api/delete", { model }));
    console.log(`${server}: removed ${model}: the volume is for ${tag}`);
  }
}

async function namesOnDisk(server: string): Promise<string[]> {
  const { models = [] } = (await json(await send(server, "GET", "/api/tags"))) as { models?: { name: string }[] };
  return models.map(({ name }) => name);
}

/** Loads the model and keeps it loaded. */
async function load(server: string, { task, servedName }: WarmPull): Promise<void> {
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
  // Node gives a DELETE no length of its own, and its body would not be read.
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
  // A refused connection on several addresses has an empty message of its own.
  return error instanceof Error ? error.message || String((error as NodeJS.ErrnoException).code) : String(error);
}

if (process.env.RUN === "warm-pull") {
  const job = JSON.parse(process.env.WARM_PULL ?? "{}") as WarmPull;
  // exit, rather than an exit code: an answer that was not read to its end would keep the process waiting.
  warmPull(job).then(
    () => process.exit(0),
    (error: unknown) => {
      console.error(`failed: ${message(error)}`);
      process.exit(1);
    },
  );
}
