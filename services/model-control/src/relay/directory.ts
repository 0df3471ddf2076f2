import { Refusal } from "./answers";
import type { Listing, Loaded, OnDisk } from "./listing";
import { modelKey, type Tenant } from "./tenants";
import type { RelayWorker, WorkerView } from "./worker-view";

/** A worker that has a model in its memory, and the name that it has for it. */
export interface Holder {
  readonly worker: RelayWorker;
  readonly name: string;
}

/** A model, and who may answer for it. At least one holder. */
export interface Place {
  readonly model: string;
  readonly holders: readonly Holder[];
}

/** Which workers have which models. */
export class Directory {
  private readonly excepted: ReadonlyMap<RelayWorker, ReadonlySet<string>>;

  constructor(private readonly views: readonly WorkerView[]) {
    this.excepted = new Map(
      views.map(({ worker }) => [worker, new Set(worker.except.flatMap((name) => modelKey(name) ?? []))]),
    );
  }

  /**
   * Who has a model loaded. A request for one that is only on disk would have Ollama load it, and unload whatever is
   * idle for that, pinned or not: it is refused.
   *
   * @param load whether it has to be loaded.
   * @throws Refusal
   */
  async find(asked: string, tenant: Tenant, load: boolean): Promise<Place> {
    const model = modelKey(asked);
    await this.look();
    const having = model === undefined ? [] : this.views.filter((view) => this.has(view, model));
    if (model === undefined || having.length === 0) {
      throw this.views.every(({ known }) => known === undefined)
        ? new Refusal(503, "no_worker", NOBODY)
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
        `the model ${quote(asked)} is on disk and not loaded: whoever operates the platform loads it with POST /models/load`,
      );
    }
    return { model, holders };
  }

  /** Models on all disks that a tenant may call, each once. @throws Refusal */
  async tags(tenant: Tenant): Promise<readonly OnDisk[]> {
    return this.all(tenant, ({ onDisk }) => onDisk);
  }

  /** Models in all memories that a tenant may call, each once. @throws Refusal */
  async running(tenant: Tenant): Promise<readonly Loaded[]> {
    return this.all(tenant, ({ loaded }) => loaded);
  }

  /** Of the first worker that answers. @throws Refusal */
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

  /** Asks all workers at once. @returns what those have that answer. */
  private async look(): Promise<readonly Listing[]> {
    await Promise.all(this.views.map((view) => view.look()));
    return this.views.flatMap(({ isAway, known }) => (isAway ? [] : (known ?? [])));
  }

  private required(listing: Listing | undefined): Listing {
    if (listing === undefined) {
      throw new Refusal(503, "no_worker", NOBODY);
    }
    return listing;
  }
}

const NOBODY = "no server answers that could have models";

/** The same words as OpenAI's. */
function unknown(asked: string): Refusal {
  return new Refusal(404, "model_not_found", `the model ${quote(asked)} does not exist`);
}

function quote(name: string): string {
  return JSON.stringify(name.length <= 100 ? name : `${name.slice(0, 97)}...`);
}
