import { setTimeout as sleep } from "node:timers/promises";
import { HttpStub, type StubAnswer, type StubRequest } from "./http-stub";

export interface StubModel {
  readonly diskBytes: number;
  /** Bytes that it takes once loaded. */
  readonly memoryBytes: number;
  readonly embeds?: boolean;
  /** Models with the same weights share them: by default each has its own. */
  readonly weights?: string;
}

/** The part of Ollama's HTTP API that is used here, with its answers' shapes, over models that take no room. */
export class OllamaStub {
  /** What a pull finds in the registry. */
  readonly registry = new Map<string, StubModel>();
  readonly onDisk = new Map<string, StubModel>();
  /** With the time of the last use, which `expires_at` follows. */
  readonly loaded = new Map<string, Date>();
  /** Requests that run, by model. While there are any, the model is not unloaded, and the time of its last use stands. */
  readonly running = new Map<string, number>();
  /** Loaded models that leave when their last request has ended. */
  readonly leaving = new Set<string>();
  /** When a model in use was told to leave: it shows this time, also if it was then told to stay, until its last request ends. */
  readonly told = new Map<string, Date>();
  /** Listed, but without their weights. */
  readonly broken = new Set<string>();
  /** Whether every model that is pulled is broken at once. */
  alwaysBroken = false;
  /** What a load answers for these models instead of loading them. */
  readonly refusedLoads = new Map<string, string>();
  /** Milliseconds from a use until Ollama itself unloads a model, as it says; the stub never does. At first for ever: 292 years. */
  keepAlive = 292 * 365 * 24 * 3600 * 1000;
  /** Milliseconds between two lines of a pull. */
  pullPause = 0;
  /** Pulls that run, with the names of models whose weights were deleted since they began. */
  private readonly pulling = new Map<string, { missing: boolean }>();
  private http: HttpStub | undefined;
  private clock = Date.now();

  static async listen(models: Readonly<Record<string, StubModel>> = {}): Promise<OllamaStub> {
    const stub = new OllamaStub();
    for (const [name, model] of Object.entries(models)) {
      stub.onDisk.set(name, model);
    }
    stub.http = await HttpStub.listen((request) => stub.answer(request));
    return stub;
  }

  get url(): string {
    return this.server.url;
  }

  get asked(): string[] {
    return this.server.asked;
  }

  get requests(): readonly StubRequest[] {
    return this.server.requests;
  }

  async close(): Promise<void> {
    await this.server.close();
  }

  /** A client's request, past the control API. */
  use(model: string): void {
    this.clock += 1000;
    this.loaded.set(model, new Date(this.clock));
    this.told.delete(model);
  }

  /** A client's request begins, past the control API. */
  begin(model: string): void {
    this.running.set(model, (this.running.get(model) ?? 0) + 1);
  }

  /** As `processCompleted` of Ollama's scheduler does. */
  end(model: string): void {
    const others = (this.running.get(model) ?? 1) - 1;
    this.running.set(model, others);
    if (others > 0) {
      return;
    }
    if (this.leaving.delete(model)) {
      this.drop(model);
    } else if (this.loaded.has(model)) {
      this.use(model);
    }
  }

  /** It is gone from memory, as if Ollama had let it go. */
  drop(model: string): void {
    this.loaded.delete(model);
    this.told.delete(model);
  }

  /** All requests break off, and nothing is loaded. */
  restart(): void {
    for (const all of [this.loaded, this.running, this.leaving, this.told]) {
      all.clear();
    }
  }

  private get server(): HttpStub {
    if (this.http === undefined) {
      throw new Error("not listening");
    }
    return this.http;
  }

  private answer({ method, path, body, gone }: StubRequest): StubAnswer {
    const name = this.existing(String(body.model));
    const missing = { status: 404, body: { error: `model '${name}' not found` } };
    switch (`${method} ${path}`) {
      case "GET /api/version":
        return { body: { version: "0.32.15" } };
      case "GET /api/tags":
        return { body: { models: [...this.onDisk].map(([name, { diskBytes }]) => ({ name, size: diskBytes })) } };
      case "GET /api/ps":
        return { body: { models: [...this.loaded].map(([model, used]) => this.described(model, used)) } };
      case "POST /api/show": {
        const model = this.broken.has(name) ? undefined : this.onDisk.get(name);
        return model ? { body: { capabilities: [model.embeds ? "embedding" : "completion"] } } : missing;
      }
      case "POST /api/generate":
      case "POST /api/embed":
        if (!this.onDisk.has(name) || this.broken.has(name)) {
          return missing;
        }
        if (this.refusedLoads.has(name)) {
          return { status: 500, body: { error: this.refusedLoads.get(name) } };
        }
        if (body.keep_alive !== 0) {
          this.leaving.delete(name);
          this.touch(name);
        } else if (this.isBusy(name)) {
          this.leaving.add(name);
          this.clock += 1000;
          this.told.set(name, new Date(this.clock));
        } else {
          this.drop(name);
        }
        return { body: { done: true } };
      case "DELETE /api/delete":
        return this.delete(name) ? { body: "" } : missing;
      case "POST /api/pull":
        return { lines: this.pull(name, gone) };
      default:
        return { status: 404, body: "404 page not found" };
    }
  }

  private touch(name: string): void {
    if (!this.loaded.has(name) || !this.isBusy(name)) {
      this.use(name);
    }
  }

  private isBusy(name: string): boolean {
    return (this.running.get(name) ?? 0) > 0;
  }

  /** Whatever its case. */
  private existing(name: string): string {
    return [...this.onDisk.keys()].find((one) => one.toLowerCase() === name.toLowerCase()) ?? name;
  }

  /** Weights go with the last model that is listed with them, whoever is being pulled. */
  private delete(name: string): boolean {
    const weights = this.onDisk.get(name)?.weights;
    if (!this.onDisk.delete(name)) {
      return false;
    }
    this.broken.delete(name);
    const kept = [...this.onDisk.values()].some((model) => model.weights === weights);
    if (weights === undefined || kept) {
      return true;
    }
    for (const [model, state] of this.pulling) {
      if (this.registry.get(model)?.weights === weights) {
        state.missing = true;
      }
    }
    return true;
  }

  private described(model: string, used: Date): object {
    const size = this.onDisk.get(model)?.memoryBytes ?? 0;
    const expiry = this.told.get(model) ?? new Date(used.getTime() + this.keepAlive);
    return { name: model, size, size_vram: size, expires_at: expiry.toISOString() };
  }

  /** In ten steps. */
  private async *pull(name: string, gone: AbortSignal): AsyncGenerator<object> {
    yield { status: "pulling manifest" };
    const model = this.registry.get(name);
    if (model === undefined) {
      yield { error: "pull model manifest: file does not exist" };
      return;
    }
    const state = { missing: false };
    this.pulling.set(name, state);
    for (let step = 0; step <= 10; step++) {
      await sleep(this.pullPause);
      if (gone.aborted) {
        return;
      }
      const completed = Math.round((model.diskBytes * step) / 10);
      yield { status: "pulling aaaa", digest: "sha256:aaaa", total: model.diskBytes, completed };
    }
    yield { status: "verifying sha256 digest" };
    yield { status: "writing manifest" };
    this.onDisk.set(name, model);
    this.pulling.delete(name);
    if (state.missing || this.alwaysBroken) {
      this.broken.add(name);
    } else {
      this.broken.delete(name);
    }
    yield { status: "success" };
  }
}
