import { spellingOf } from "../model-name";
import { Refusal } from "./answers";
import type { Dialect } from "./calls";

export interface TenantRights {
  /** Allowed names in any spelling; excludes models added at run time. @default all */
  readonly models?: readonly string[];
  /** Whether it may use Ollama's native API, whose tokens are not counted. */
  readonly ollamaApi: boolean;
}

/** One caller. */
export interface Tenant {
  /** @param model spelled as by `modelKey`. */
  mayCall(model: string): boolean;
}

/** Tenants by name. Refuses unknown tenants and requests that bypassed the gateway. */
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
      throw new Refusal(403, "unknown_caller", "the gateway did not name the caller");
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

/** Lookup key of a model: Ollama matches existing models case-insensitively. */
export function modelKey(name: string): string | undefined {
  return spellingOf(name)?.toLowerCase();
}
