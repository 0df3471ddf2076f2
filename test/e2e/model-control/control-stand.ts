import type { Redis as Client } from "ioredis";
import { type Ollama, type Redis, type Registry, startOllama, startRedis, startRegistry, withClient } from "./registry";
import { Api, ApiBundle, stopReplicas } from "./start-api";

/** What a replica is told beside the addresses of its surroundings. */
export interface ReplicaSettings {
  readonly worker?: object;
  /** Workers beside that one. */
  readonly others?: readonly object[];
  readonly tracing?: object;
  readonly pulls?: object;
  readonly limits?: object;
  readonly registries?: object;
  /** When models leave memory by themselves; without it, never. */
  readonly idle?: object;
  /** With it, if only `{}`, there is asynchronous inference. */
  readonly inference?: object;
}

const SEED_OF_FIRST = 1000;

/** All that the API needs, real and of this machine: its bundle, Redis, an Ollama and a registry; and its replicas. */
export class ControlStand {
  private readonly replicas: Api[] = [];
  private seed = SEED_OF_FIRST;

  private constructor(
    private readonly bundle: ApiBundle,
    readonly redis: Redis,
    readonly ollama: Ollama,
    readonly registry: Registry,
  ) {}

  /** @param maxMemory of Redis, as it writes it. */
  static async start({ maxMemory }: { readonly maxMemory?: string } = {}): Promise<ControlStand> {
    const bundle = ApiBundle.build();
    // Ollama's own limit, three models on a CPU, would evict before the API has a reason to.
    const ollama = startOllama({ OLLAMA_MAX_LOADED_MODELS: "16" });
    const [redis, engine, registry] = await Promise.all([startRedis({ maxMemory }), ollama, startRegistry()]);
    return new ControlStand(bundle, redis, engine, registry);
  }

  /** Starts another process of the API, which has its queue. @param env added to its environment. */
  async replica(
    { worker = {}, others = [], ...settings }: ReplicaSettings = {},
    env: Readonly<Record<string, string>> = {},
  ): Promise<Api> {
    const { redis, registry, ollama } = this;
    const first = { name: "w1", backend: "ollama", url: ollama.url, memoryBytes: 8e9, ...worker };
    const api = await Api.start(
      this.bundle,
      {
        redis: { url: redis.url },
        registries: { insecure: [registry.host] },
        workers: [first, ...others],
        ...settings,
      },
      env,
    );
    this.replicas.push(api);
    await api.process.waitForOutput(/the task queue is connected/, 20);
    return api;
  }

  /** A seed for weights that no other model of this stand has. */
  nextSeed(): number {
    return this.seed++;
  }

  /** Names that Ollama lists: all on its disk, or all in its memory. */
  async listedBy(path: "/api/tags" | "/api/ps"): Promise<readonly string[]> {
    const { models } = (await (await fetch(`${this.ollama.url}${path}`)).json()) as {
      readonly models: readonly { readonly name: string }[];
    };
    return models.map(({ name }) => name).sort();
  }

  /** Whether the text stands anywhere in Redis: in a key, or in a value. */
  async redisHolds(text: string): Promise<boolean> {
    return this.withRedis(async (client) => {
      for (const key of await client.keys("*")) {
        const dump = (await client.dumpBuffer(key)) ?? Buffer.alloc(0);
        if (key.includes(text) || dump.includes(text)) {
          return true;
        }
      }
      return false;
    });
  }

  async redisKeys(pattern: string): Promise<readonly string[]> {
    return this.withRedis((client) => client.keys(pattern));
  }

  /** Its models stay. */
  async stopEngine(): Promise<void> {
    await this.ollama.process.kill();
  }

  async startEngine(): Promise<void> {
    await this.ollama.process.start();
  }

  async withRedis<T>(work: (client: Client) => Promise<T>): Promise<T> {
    return withClient(this.redis, work);
  }

  async stopReplicas(): Promise<void> {
    await stopReplicas(this.replicas.splice(0), this.redis);
  }

  async stop(): Promise<void> {
    await this.stopReplicas();
    await Promise.all([this.redis.stop(), this.ollama.stop(), this.registry.stop()]);
    this.bundle.remove();
  }
}
