import { Refusal } from "./answers";
import type { Listing, Loaded, OnDisk } from "./listing";
import { modelKey, type Tenant } from "./tenants";
import type { RelayWorker, WorkerView } from "./worker-view";

/** Worker with a loaded model, and its name for it. */
export interface Holder {
  readonly worker: RelayWorker;
  readonly name: string;
}

/** Model and the workers that can answer for it, at least one. */
export interface Place {
  readonly model: string;
  readonly holders: readonly Holder[];
}

/** Lookup of workers by model. */
export class Directory {
  private readonly excepted: ReadonlyMap<RelayWorker, ReadonlySet<string>>;

  constructor(private readonly views: readonly WorkerView[]) {
    this.excepted = new Map(
      views.map(({ worker }) => [worker, new Set(worker.except.flatMap((name) => modelKey(name) ?? []))]),
    );
  }

  /**
   * Workers with the model loaded. Refuses a model only on disk: Ollama would unload idle models
   * for it, even pinned ones.
   *
   * @param load whether it must be loaded.
   * @throws Refusal
   */
  async find(asked: string, tenant: Tenant, load: boolean): Promise<Place> {
    const model = modelKey(asked);
    await this.look();
    const having = model === undefined ? [] : this.views.filter((view) => this.has(view, model));
    if (model === undefined || having.length === 0) {
      throw this.views.every(({ known }) => known === undefined)
        ? new Refusal(503, "no_worker", NO_SERVER)
        : unknown(asked);
    }
    if (!tenant.mayCall(model)) {
      throw new Refusal(403, "model_not_allowed", `you may not use the model ${quote(asked)}`);
    }
    const there = having.filter(({ isAway }) => !isAway);
    if (there.length === 0) {
      throw new Refusal(503, "model_away", `the servers that have the model ${quote(asked)} do not answer`);
    }
    const holders = there.flatMap(({ worker, known }): Holder[] => {
      const held = load ? known?.loaded.get(model) : known?.onDisk.get(model);
      return held === undefined ? [] : [{ worker, name: held.name }];
    });
    if (holders.length === 0) {
      throw new Refusal(
        503,
        "model_not_loaded",
        `the model ${quote(asked)} is on disk, but not loaded: an operator of the platform can load it with POST /models/load`,
      );
    }
    return { model, holders };
  }

  /**
   * Models on disk that a tenant may call, without duplicates.
   * @throws Refusal
   */
  async tags(tenant: Tenant): Promise<readonly OnDisk[]> {
    return this.all(tenant, ({ onDisk }) => onDisk);
  }

  /**
   * Loaded models that a tenant may call, without duplicates.
   * @throws Refusal
   */
  async running(tenant: Tenant): Promise<readonly Loaded[]> {
    return this.all(tenant, ({ loaded }) => loaded);
  }

  /**
   * Version of the first worker that answers.
   * @throws Refusal
   */
  async version(): Promise<string> {
    return this.required((await this.look())[0]).version;
  }

  private async all<T>(tenant: Tenant, part: (listing: Listing) => ReadonlyMap<string, T>): Promise<readonly T[]> {
    const listings = await this.look();
    this.required(listings[0]);
    const models = new Map<string, T>();
    for (const listing of listings) {
      for (const [model, described] of part(listing)) {
        if (tenant.mayCall(model) && !models.has(model)) {
          models.set(model, described);
        }
      }
    }
    return [...models.values()];
  }

  private has({ worker, known }: WorkerView, model: string): boolean {
    return known?.onDisk.has(model) === true && this.excepted.get(worker)?.has(model) !== true;
  }

  /**
   * Queries all workers in parallel.
   * @returns lists of those that answer.
   */
  private async look(): Promise<readonly Listing[]> {
    await Promise.all(this.views.map((view) => view.look()));
    return this.views.flatMap(({ isAway, known }) => (isAway ? [] : (known ?? [])));
  }

  private required(listing: Listing | undefined): Listing {
    if (listing === undefined) {
      throw new Refusal(503, "no_worker", NO_SERVER);
    }
    return listing;
  }
}

const NO_SERVER = "no model server answers";

/** OpenAI's error text. */
function unknown(asked: string): Refusal {
  return new Refusal(404, "model_not_found", `the model ${quote(asked)} does not exist`);
}

function quote(name: string): string {
  return JSON.stringify(name.length <= 100 ? name : `${name.slice(0, 97)}...`);
}
