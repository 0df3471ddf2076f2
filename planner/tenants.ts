import type { CertificateFile } from "./types";

export interface Tenant {
  /** API key and tokens of a consumer lead to the same tenant. */
  readonly name: string;
  /** Model keys in the environment. @default all */
  readonly models?: readonly string[];
  /** Allowed names by model key, where only some are (LoRA adapters). @default all */
  readonly names?: Readonly<Record<string, readonly string[]>>;
  /** All its clients, at all proxies together. @default no limit */
  readonly requestsPerMinute?: number;
  /** Prompts and answers, likewise. @default no limit */
  readonly tokensPerMinute?: number;
  /** `free` is refused first when a model is saturated. */
  readonly priority: Priority;
  /** Secret with its API key. @default generated */
  readonly secretKey?: string;
}

/** Issuer of accepted tokens, besides API keys. */
export interface TokenIssuer {
  /** Exact value of `iss`. */
  readonly issuer: string;
  /** Required in `aud`. */
  readonly audience: string;
  /** URL of its keys. */
  readonly jwks: {
    readonly url: string;
    /** CIDR networks that the URL's name resolves to. @default unknown */
    readonly networks?: readonly string[];
  };
  /** Claim with the tenant's name; dots lead into nested claims. */
  readonly tenantClaim: string;
  /** CAs of the key server's certificate. @default those of the gateway's image */
  readonly authorities?: CertificateFile;
}

export type Priority = "paid" | "free";

/** As in the environment: `models` may name adapters. */
type Limits = Partial<Omit<Tenant, "name" | "names">>;

export interface NamedModel {
  /** @default its key */
  readonly servedName?: string | undefined;
  /** Further names with the same rights. */
  readonly aliases?: readonly string[] | undefined;
  /** Answers to that model's names. */
  readonly revisionOf?: object | undefined;
  /** By name. */
  readonly adapters?: Readonly<Record<string, unknown>> | undefined;
}

export type NamedModels = Readonly<Record<string, NamedModel>>;

/** As in the environment: a list without limits, or a mapping with them. */
export type Consumers =
  | readonly string[]
  | Readonly<Record<string, { readonly [K in keyof Limits]: Limits[K] | undefined }>>;

/**
 * In the environment's order.
 * @param named the environment's models: naming an adapter allows that name only, not other names
 * of its model.
 */
export function tenantsOf(consumers: Consumers, named: NamedModels = {}): Tenant[] {
  if (isList(consumers)) {
    return consumers.map((name) => ({ name, priority: "paid" }));
  }
  return Object.entries(consumers).map(
    ([name, { models, requestsPerMinute, tokensPerMinute, priority = "paid", secretKey }]) => ({
      name,
      ...(models && rightsOf(models, named)),
      ...(requestsPerMinute !== undefined && { requestsPerMinute }),
      ...(tokensPerMinute !== undefined && { tokensPerMinute }),
      priority,
      ...(secretKey !== undefined && { secretKey }),
    }),
  );
}

/** As written. */
export function limitsOf(consumers: Consumers): Exclude<Consumers, readonly string[]> {
  return isList(consumers) ? {} : consumers;
}

/** By the model's key in the environment. */
export function mayUse({ models }: Tenant, model: string): boolean {
  return models === undefined || models.includes(model);
}

export function mayName({ names = {} }: Pick<Tenant, "names">, model: string, name: string): boolean {
  return names[model]?.includes(name) ?? true;
}

/** Consumers restricted to some names of a model; undefined without any. */
export function nameLimits(model: string, tenants: readonly Tenant[]): NameLimits | undefined {
  const limits = tenants.flatMap(({ name, names = {} }) => (names[model] ? [[name, names[model]] as const] : []));
  return limits.length > 0 ? Object.fromEntries(limits) : undefined;
}

export type NameLimits = Readonly<Record<string, readonly string[]>>;

function rightsOf(listed: readonly string[], models: NamedModels): Pick<Tenant, "models" | "names"> {
  const owners = new Map(
    Object.entries(models)
      .filter(([, { revisionOf }]) => revisionOf === undefined)
      .flatMap(([model, { adapters = {} }]) => Object.keys(adapters).map((adapter) => [adapter, model])),
  );
  // A model's key is the model, even where another's adapter has that name.
  const ownerOf = (name: string) => (Object.hasOwn(models, name) ? undefined : owners.get(name));
  const keys = [...new Set(listed.map((name) => ownerOf(name) ?? name))];
  const names = keys.flatMap((key) => {
    const adapters = listed.filter((name) => ownerOf(name) === key);
    const own = listed.includes(key) ? [models[key]?.servedName ?? key, ...(models[key]?.aliases ?? [])] : [];
    return adapters.length > 0 ? [[key, [...own, ...adapters]] as const] : [];
  });
  return { models: keys, ...(names.length > 0 && { names: Object.fromEntries(names) }) };
}

function isList(consumers: Consumers): consumers is readonly string[] {
  return Array.isArray(consumers);
}
