import { setTimeout as sleep } from "node:timers/promises";
import { HttpStub, type StubAnswer, type StubRequest } from "./http-stub";

export interface StubModel {
  readonly diskBytes: number;
  /** Bytes that it takes once loaded. */
  readonly memoryBytes: number;
  readonly embeds?: boolean;
}

/** The part of Ollama's HTTP API that is used here, with its answers' shapes, over models that take no room. */
export class OllamaStub {
  /** What a pull finds in the registry. */
  readonly registry = new Map<string, StubModel>();
  readonly onDisk = new Map<string, StubModel>();
  /** With the time of the last use, as `expires_at` shows it. */
  readonly loaded = new Map<string, Date>();
  /** Milliseconds between two lines of a pull. */
  pullPause = 0;
  private http: HttpStub | undefined;
  private clock = Date.now();

  static async listen(models: Readonly<Record<string, StubModel>> = {}): Promise<OllamaStub> {
    const stub = new OllamaStub();
    for (const [name, model] of Object.entries(models)) stub.onDisk.set(name, model);
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
  }

  private get server(): HttpStub {
    if (this.http === undefined) throw new Error("not listening");
    return this.http;
  }

  private answer({ method, path, body, gone }: StubRequest): StubAnswer {
    const name = String(body.model);
    const missing = { status: 404, body: { error: `model '${name}' not found` } };
    switch (`${method} ${path}`) {
      case "GET /api/version":
        return { body: { version: "0.32.15" } };
      case "GET /api/tags":
        return { body: { models: [...this.onDisk].map(([name, { diskBytes }]) => ({ name, size: diskBytes })) } };
      case "GET /api/ps":
        return { body: { models: [...this.loaded].map(([model, used]) => this.running(model, used)) } };
      case "POST /api/show": {
        const model = this.onDisk.get(name);
        return model ? { body: { capabilities: [model.embeds ? "embedding" : "completion"] } } : missing;
      }
      case "POST /api/generate":
      case "POST /api/embed":
        if (!this.onDisk.has(name)) return missing;
        if (body.keep_alive === 0) this.loaded.delete(name);
        else this.use(name);
        return { body: { done: true } };
      case "DELETE /api/delete":
        return this.onDisk.delete(name) ? { body: "" } : missing;
      case "POST /api/pull":
        return { lines: this.pull(name, gone) };
      default:
        return { status: 404, body: "404 page not found" };
    }
  }

  private running(model: string, used: Date): object {
    const size = this.onDisk.get(model)?.memoryBytes ?? 0;
    return { name: model, size, size_vram: size, expires_at: used.toISOString() };
  }

  /** In ten steps. */
  private async *pull(name: string, gone: AbortSignal): AsyncGenerator<object> {
    yield { status: "pulling manifest" };
    const model = this.registry.get(name);
    if (model === undefined) {
      yield { error: "pull model manifest: file does not exist" };
      return;
    }
    for (let step = 0; step <= 10; step++) {
      await sleep(this.pullPause);
      if (gone.aborted) return;
      const completed = Math.round((model.diskBytes * step) / 10);
      yield { status: "pulling aaaa", digest: "sha256:aaaa", total: model.diskBytes, completed };
    }
    yield { status: "verifying sha256 digest" };
    yield { status: "writing manifest" };
    this.onDisk.set(name, model);
    yield { status: "success" };
  }
}
