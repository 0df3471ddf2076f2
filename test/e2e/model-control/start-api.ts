import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { dropLeases, type Redis } from "./registry";
import { ServerProcess } from "./registry/server-process";

const SERVICE = resolve(__dirname, "../../../services/model-control");

export const OPERATE = "operate-token";
export const READ = "read-token";
/** May have models answer, and nothing else. */
export const INFER = "infer-token";
/** Two consumers as the platform renders them: they may have models answer, and fetched. */
export const ALICE = "alice-token";
export const BOB = "bob-token";

/** What prompts and answers are encrypted with: replicas that share a Redis share it. */
const INFERENCE_KEY = createHash("sha256").update("a key of these tests").digest("base64");

const SCOPES: Readonly<Record<string, readonly string[]>> = {
  viewer: ["read"],
  asker: ["infer"],
  alice: ["infer", "pull"],
  bob: ["infer", "pull"],
};

/** `key`: 32 bytes in base64. */
export interface InferenceKey {
  readonly id: string;
  readonly key: string;
}

/** What a task's status answers. */
export interface TaskStatus {
  readonly task_id: string;
  readonly state: "queued" | "running" | "completed" | "failed";
  readonly progress: number;
  readonly error?: string;
  readonly worker?: string;
  readonly attempts: { readonly made: number };
}

/** A model as answers show it. */
export interface ModelBody {
  readonly model: string;
  readonly state: "absent" | "pulling" | "on_disk" | "loaded";
  readonly pinned: boolean;
  readonly placements: readonly {
    readonly worker: string;
    readonly state: string;
    readonly disk_bytes?: number;
    readonly memory_bytes?: number;
    readonly last_used?: string;
    readonly unloads_at?: string;
    readonly stays?: string;
  }[];
}

/** The fields of answers that tests go on with, of whatever route: each answer has some of them. */
export interface AnswerBody extends ModelBody {
  readonly task_id: string;
  readonly error?: string;
  readonly code?: string;
  readonly detail?: string;
  readonly healthy?: boolean;
  readonly checks: Readonly<Record<string, { readonly ok: boolean | null; readonly detail: string }>>;
  readonly models: readonly ModelBody[];
  readonly workers: readonly { readonly name: string; readonly state: string; readonly problem?: string }[];
}

export interface Answer<T = AnswerBody> {
  readonly status: number;
  readonly body: T;
  readonly headers: Headers;
}

/** The API as its image runs it: one file, bundled once for each test file. */
export class ApiBundle {
  private constructor(
    private readonly folder: string,
    readonly file: string,
    /** Of the relay, which is in the same image. */
    readonly relayFile: string,
  ) {}

  static build(): ApiBundle {
    const folder = mkdtempSync(join(tmpdir(), "model-control-bundle-"));
    execFileSync(process.execPath, [join(SERVICE, "build.mjs"), folder], { stdio: "pipe" });
    return new ApiBundle(folder, join(folder, "main.js"), join(folder, "relay.js"));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Kills replicas, and ends what they held in Redis. */
export async function stopReplicas(replicas: readonly Api[], redis: Redis): Promise<void> {
  await Promise.all(replicas.map((api) => api.process.stop()));
  if (replicas.length > 0) {
    await dropLeases(redis);
  }
}

/** A replica of the API in a process of its own. */
export class Api {
  private constructor(
    readonly url: string,
    readonly metricsUrl: string,
    readonly process: ServerProcess,
    private readonly tokensFile: string,
    private readonly keysFile: string,
  ) {}

  /**
   * @param settings all but the addresses that it listens on, its tokens and its keys; with `inference`, if only `{}`, there is
   * asynchronous inference.
   * @param env added to its environment.
   */
  static async start(
    bundle: ApiBundle,
    settings: Readonly<Record<string, unknown>>,
    env: Readonly<Record<string, string>> = {},
  ): Promise<Api> {
    const [port = 0, metricsPort = 0] = await freePorts(2);
    const url = `http://127.0.0.1:${port}`;
    let tokensFile = "";
    let keysFile = "";
    const server = await ServerProcess.start((folder) => {
      tokensFile = join(folder, "tokens.json");
      const config = join(folder, "config.json");
      writeTokens(tokensFile, { operator: OPERATE, viewer: READ, asker: INFER, alice: ALICE, bob: BOB });
      keysFile = join(folder, "keys.json");
      writeKeys(keysFile, [{ id: "first", key: INFERENCE_KEY }]);
      const listen = { host: "127.0.0.1", port, metricsPort };
      const inference = { keyFile: keysFile, ...Object(settings.inference) };
      const optional = settings.inference === undefined ? {} : { inference };
      writeFileSync(config, JSON.stringify({ listen, tokensFile, ...settings, ...optional }));
      return {
        command: process.execPath,
        args: [bundle.file],
        env: { MODEL_CONTROL_CONFIG: config, HOME: folder, ...env },
        ready: async () => (await fetch(`${url}/livez`)).ok,
      };
    });
    return new Api(url, `http://127.0.0.1:${metricsPort}/metrics`, server, tokensFile, keysFile);
  }

  /** @param token none for a request without one. */
  async ask<T = AnswerBody>(
    method: string,
    path: string,
    body?: unknown,
    token: string | undefined = OPERATE,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<T>> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...headers,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text || "null") as T, headers: response.headers };
  }

  /** @returns the task's id. */
  async pull(model: string, options: object = {}, token = OPERATE): Promise<string> {
    const { status, body } = await this.ask("POST", "/models/pull", { model, ...options }, token);
    if (status !== 202) {
      throw new Error(`the pull was answered with ${status}: ${JSON.stringify(body)}`);
    }
    return body.task_id;
  }

  async task(id: string): Promise<TaskStatus> {
    return (await this.ask<TaskStatus>("GET", `/tasks/${id}/status`)).body;
  }

  /** Waits until the task is as `is` wants it. */
  async taskThat(id: string, what: string, is: (task: TaskStatus) => boolean, seconds = 60): Promise<TaskStatus> {
    return waitFor(
      `task ${id} to be ${what}`,
      async () => {
        const task = await this.task(id);
        return is(task) ? task : undefined;
      },
      seconds,
    );
  }

  async ended(id: string, seconds = 60): Promise<TaskStatus> {
    return this.taskThat(id, "ended", ({ state }) => state === "completed" || state === "failed", seconds);
  }

  /** The API reads them within two seconds. @param keys the first one encrypts. */
  replaceKeys(keys: readonly InferenceKey[]): void {
    writeKeys(this.keysFile, keys);
  }

  replaceTokens(tokens: Readonly<Record<string, string>>): void {
    writeTokens(this.tokensFile, tokens);
  }
}

/** In one step, as Kubernetes replaces a Secret's files: nobody reads half of it. */
function writeKeys(file: string, keys: readonly InferenceKey[]): void {
  writeFileSync(`${file}.new`, JSON.stringify({ keys }));
  renameSync(`${file}.new`, file);
}

/** All but those with scopes of their own may operate. */
function writeTokens(file: string, tokens: Readonly<Record<string, string>>): void {
  const entries = Object.entries(tokens).map(([id, token]) => ({
    id,
    sha256: createHash("sha256").update(token).digest("hex"),
    scopes: SCOPES[id] ?? ["read", "operate"],
  }));
  writeFileSync(file, JSON.stringify({ tokens: entries }));
}
