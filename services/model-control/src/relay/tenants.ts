import { spellingOf } from "../model-name";
import { Refusal } from "./answers";
import type { Dialect } from "./calls";

/** What one tenant may ask of the relay. */
export interface TenantRights {
  /** Names that it may call, in whatever spelling; then no other, and nothing that comes at run time. @default all */
  readonly models?: readonly string[];
  /** Whether it may speak Ollama's own API, which nobody counts tokens of. */
  readonly ollamaApi: boolean;
}

/** One caller. */
export interface Tenant {
  /** @param model in the spelling of `modelKey`. */
  mayCall(model: string): boolean;
}

/** By name: who is not among them is refused, as is a request that did not come through the gateway. */
export class Tenants {
  private readonly byName: ReadonlyMap<string, Tenant & TenantRights>;

  constructor(rights: Readonly<Record<string, TenantRights>>) {
    this.byName = new Map(
      Object.entries(rights).map(([name, right]) => {
        const own = right.models && new Set(right.models.flatMap((model) => modelKey(model) ?? []));
        return [name, { ...right, mayCall: (model: string) => own === undefined || own.has(model) }];
      }),
    );
  }

  /** @throws Refusal */
  of(name: string | string[] | undefined, dialect: Dialect): Tenant {
    const tenant = typeof name === "string" ? this.byName.get(name) : undefined;
    if (tenant === undefined) {
      throw new Refusal(403, "unknown_caller", "the gateway has not said who calls");
    }
    if (dialect === "ollama" && !tenant.ollamaApi) {
      throw new Refusal(
        403,
        "tokens_not_counted",
        "your tokens have a limit, and this API does not count them: use /v1/chat/completions, /v1/completions or /v1/embeddings",
      );
    }
    return tenant;
  }
}

/** Under what a model is looked up: Ollama takes whatever case for one that it has. */
export function modelKey(name: string): string | undefined {
  return spellingOf(name)?.toLowerCase();
}
