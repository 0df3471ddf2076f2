import type { Redis as Client } from "ioredis";
import { type Redis, startRedis, withClient } from "./registry";
import { type Answer, SickEngine } from "./sick-engine";
import { Api, ApiBundle, stopReplicas } from "./start-api";

/** What the stand-in writes for a prompt, in the form of Ollama's own completion. */
export type Writing = (prompt: string) => Answer;

export const token = (text: string) => `${JSON.stringify({ response: text, done: false })}\n`;
export const lastToken = (text = "") => `${JSON.stringify({ response: text, done: true, done_reason: "stop" })}\n`;

/** The API's own bundle with a real Redis; what writes is a stand-in that does what no real engine does on request. */
export class EngineStand {
  static readonly MODEL = "fake:1";
  /** Prompts that the engine was asked, in order. */
  readonly asked: string[] = [];
  private readonly replicas: Api[] = [];

  private constructor(
    private readonly bundle: ApiBundle,
    readonly redis: Redis,
    readonly engine: SickEngine,
  ) {}

  /** @param maxMemory of Redis, as it writes it. @param model that the engine has. */
  static async start(
    write: Writing,
    { maxMemory, model = EngineStand.MODEL }: { readonly maxMemory?: string; readonly model?: string } = {},
  ): Promise<EngineStand> {
    const bundle = ApiBundle.build();
    const [redis, engine] = await Promise.all([startRedis({ maxMemory }), SickEngine.start(model, { isLoaded: true })]);
    const stand = new EngineStand(bundle, redis, engine);
    engine.answers.set("/api/generate", (response, body) => {
      const { prompt } = JSON.parse(body) as { readonly prompt: string };
      stand.asked.push(prompt);
      return write(prompt)(response, body);
    });
    return stand;
  }

  /** Starts another process of the API, which has its queue. @param settings of its configuration. */
  async replica(settings: object = {}, env: Readonly<Record<string, string>> = {}): Promise<Api> {
    const workers = [{ name: "w1", backend: "ollama", url: this.engine.url, memoryBytes: 8e9 }];
    const limits = { requestsPerMinute: 1_000_000 };
    const redis = { url: this.redis.url };
    const api = await Api.start(this.bundle, { redis, workers, limits, inference: {}, ...settings }, env);
    this.replicas.push(api);
    await api.process.waitForOutput(/the task queue is connected/, 20);
    return api;
  }

  async withRedis<T>(work: (client: Client) => Promise<T>): Promise<T> {
    return withClient(this.redis, work);
  }

  /** A figure of Redis' own report. */
  async figure(section: string, name: string): Promise<number> {
    return this.withRedis(async (client) =>
      Number(new RegExp(`^${name}:(\\d+)`, "m").exec(await client.info(section))?.[1]),
    );
  }

  async stopReplicas(): Promise<void> {
    await stopReplicas(this.replicas.splice(0), this.redis);
  }

  async stop(): Promise<void> {
    await this.stopReplicas();
    this.engine.stop();
    await this.redis.stop();
    this.bundle.remove();
  }
}
