import { setTimeout as sleep } from "node:timers/promises";
import { SickEngine } from "./sick-engine";

const BYTES = 1_000_000;

/** An Ollama without weights: it pulls at once, or for ever where the model's name says `slow`, and answers "hello". */
export class PullingEngine {
  /** On its disk. */
  readonly disk = new Set<string>();
  readonly loaded = new Set<string>();
  /** Models that it is pulling. */
  readonly pulling: string[] = [];

  private constructor(private readonly engine: SickEngine) {
    const list = (names: ReadonlySet<string>) =>
      JSON.stringify({ models: [...names].map((name) => ({ name, size: BYTES, size_vram: BYTES, expires_at: FAR })) });
    engine.answers.set("/api/tags", (response) => void response.end(list(this.disk)));
    engine.answers.set("/api/ps", (response) => void response.end(list(this.loaded)));
    engine.answers.set("/api/show", (response, body) => {
      const { model } = JSON.parse(body) as { readonly model: string };
      response.statusCode = this.disk.has(model) ? 200 : 404;
      response.end(JSON.stringify({ capabilities: ["completion"], details: {}, model_info: {} }));
    });
    engine.answers.set("/api/pull", async (response, body) => {
      const { model } = JSON.parse(body) as { readonly model: string };
      const digest = `sha256:${"a".repeat(64)}`;
      const tell = (completed: number) =>
        response.write(`${JSON.stringify({ status: "pulling", digest, total: BYTES, completed })}\n`);
      this.pulling.push(model);
      for (let completed = 0; model.includes("slow") && !response.destroyed; completed += 1) {
        tell(completed);
        await sleep(200);
      }
      this.pulling.splice(this.pulling.indexOf(model), 1);
      if (!response.destroyed) {
        this.disk.add(model);
        tell(BYTES);
        response.end(`${JSON.stringify({ status: "success" })}\n`);
      }
    });
    engine.answers.set("/api/delete", (response, body) => {
      this.disk.delete((JSON.parse(body) as { readonly model: string }).model);
      response.end();
    });
    engine.answers.set("/api/generate", (response, body) => {
      const { model, prompt, keep_alive } = JSON.parse(body) as {
        readonly model: string;
        readonly prompt?: string;
        readonly keep_alive?: number | string;
      };
      if (!prompt && keep_alive === 0) {
        this.loaded.delete(model);
      } else {
        this.loaded.add(model);
      }
      response.end(`${JSON.stringify({ response: prompt ? "hello" : "", done: true, done_reason: "stop" })}\n`);
    });
  }

  static async start(): Promise<PullingEngine> {
    return new PullingEngine(await SickEngine.start("none:1"));
  }

  get url(): string {
    return this.engine.url;
  }

  stop(): void {
    this.engine.stop();
  }
}

const FAR = "2099-01-01T00:00:00Z";
