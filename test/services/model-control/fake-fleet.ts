import type { GenerationEvent } from "../../../services/model-control/src/backends/generation";
import type { Fleet, ModelReport, Readiness, WorkerReport } from "../../../services/model-control/src/fleet/fleet";

type PullOptions = Parameters<Fleet["pull"]>[1];

/** A fleet in memory that notes what it is told. Errors can be set for each method. */
export class FakeFleet implements Fleet {
  readonly calls: string[] = [];
  readonly errors = new Map<keyof Fleet, Error>();
  readonly reports = new Map<string, ModelReport>();
  workerReports: WorkerReport[] = [worker("w1", "running")];

  /** Of every model. */
  ready: Readiness = { state: "ready", workers: ["w1"] };
  /** What a model writes. */
  write: (request: Parameters<Fleet["generate"]>[2], signal: AbortSignal) => AsyncIterable<GenerationEvent> = hello;

  async observe(): Promise<void> {
    this.note("observe");
  }

  async sweep(): Promise<void> {
    this.note("sweep");
  }

  async wake(): Promise<void> {
    this.note("wake");
  }

  async models(): Promise<readonly ModelReport[]> {
    this.note("models");
    return [...this.reports.values()];
  }

  async model(name: string): Promise<ModelReport> {
    this.note("model", name);
    return this.reports.get(name) ?? model(name, "absent");
  }

  async workers(_signal: AbortSignal): Promise<readonly WorkerReport[]> {
    this.note("workers");
    return this.workerReports;
  }

  async pull(name: string, { load, worker: wanted }: PullOptions): Promise<string> {
    this.note("pull", `${name} ${load} ${wanted}`);
    return "w1";
  }

  async discard(name: string): Promise<void> {
    this.note("discard", name);
  }

  async unload(name: string): Promise<void> {
    this.note("unload", name);
    this.reports.set(name, model(name, "on_disk"));
  }

  async purge(name: string, { force }: { readonly force: boolean }): Promise<void> {
    this.note("purge", force ? `${name} by force` : name);
    this.reports.delete(name);
  }

  async stop(name: string): Promise<void> {
    this.note("stop", name);
  }

  async resume(name: string): Promise<void> {
    this.note("resume", name);
  }

  async start(name: string): Promise<void> {
    this.note("start", name);
  }

  async readiness(name: string): Promise<Readiness> {
    this.note("readiness", name);
    return this.ready;
  }

  generate(...[worker, name, request, signal]: Parameters<Fleet["generate"]>): AsyncIterable<GenerationEvent> {
    this.note("generate", `${name} on ${worker}`);
    return this.write(request, signal);
  }

  private note(method: keyof Fleet, detail = ""): void {
    this.calls.push(`${method} ${detail}`.trim());
    const error = this.errors.get(method);
    if (error !== undefined) {
      throw error;
    }
  }
}

export function model(name: string, state: ModelReport["state"]): ModelReport {
  const placements = state === "absent" ? [] : [{ worker: "w1", state, diskBytes: 10, lastUsed: new Date(0) }];
  return { model: name, state, pinned: false, placements };
}

export function worker(
  name: string,
  state: WorkerReport["state"],
  gpu?: boolean,
  loaded: readonly string[] = [],
): WorkerReport {
  const memory = { budgetBytes: 100, usedBytes: 10 };
  return { name, backend: "ollama", state, gpu, memory, models: [...loaded], loaded };
}

async function* hello(): AsyncGenerator<GenerationEvent> {
  yield { type: "text", text: "hello" };
  yield { type: "end", finishReason: "stop", promptTokens: 3, completionTokens: 1 };
}
