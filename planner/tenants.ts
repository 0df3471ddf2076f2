import type { CertificateFile } from "./types";

/** Who calls models, and within which limits. */
export interface Tenant {
  /** Name of the consumer; its API key and its tokens lead to the same tenant. */
  readonly name: string;
  /** Keys of models in the environment. @default all */
  readonly models?: readonly string[];
  /** Of models that it may call by some of their names alone (LoRA adapters): those names, by the model's key. @default by any */
  readonly names?: Readonly<Record<string, readonly string[]>>;
  /** Requests per minute of all its clients, at all proxies together. @default no limit */
  readonly requestsPerMinute?: number;
  /** Tokens of prompts and answers per minute, likewise. @default no limit */
  readonly tokensPerMinute?: number;
  /** `free` is refused first when a model has more than it can do. */
  readonly priority: Priority;
  /** Name of the secret with its API key. @default one is made */
  readonly secretKey?: string;
}

/** Whose tokens count besides API keys. */
export interface TokenIssuer {
  /** The claim `iss`, to the letter. */
  readonly issuer: string;
  /** The claim `aud` must name it. */
  readonly audience: string;
  /** Where the issuer publishes its keys. */
  readonly jwks: {
    readonly url: string;
    /** Networks in CIDR form that the URL's name resolves to. @default nobody says */
    readonly networks?: readonly string[];
  };
  /** Claim with the name of the tenant; dots lead into claims of claims. */
  readonly tenantClaim: string;
  /** Authorities that the certificate of the keys' server may be signed by. @default those that the gateway's image trusts */
  readonly authorities?: CertificateFile;
}

export type Priority = "paid" | "free";

/** The limits of one consumer, as an environment states them: `models` may name adapters. */
type Limits = Partial<Omit<Tenant, "name" | "names">>;

/** A model as consumers name it. */
export interface NamedModel {
  /** @default its key */
  readonly servedName?: string | undefined;
  /** Further names, with the rights of its own. */
  readonly aliases?: readonly string[] | undefined;
  /** It answers to the names of that model. */
  readonly revisionOf?: object | undefined;
  /** By their names. */
  readonly adapters?: Readonly<Record<string, unknown>> | undefined;
}

export type NamedModels = Readonly<Record<string, NamedModel>>;

/** Consumers as an environment names them: in a list where none has limits, else with their limits. */
export type Consumers =
  | readonly string[]
  | Readonly<Record<string, { readonly [K in keyof Limits]: Limits[K] | undefined }>>;

/**
 * The tenants of an environment, in its order.
 * @param named the environment's models: who names an adapter may call that name, and its model by no other that it does not name.
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

/** Consumers that have limits, as they are written. */
export function limitsOf(consumers: Consumers): Exclude<Consumers, readonly string[]> {
  return isList(consumers) ? {} : consumers;
}

/** Whether a tenant may call a model, by its key in the environment. */
export function mayUse({ models }: Tenant, model: string): boolean {
  return models === undefined || models.includes(model);
}

/** Whether it may write that name of a model into a request. */
export function mayName({ names = {} }: Pick<Tenant, "names">, model: string, name: string): boolean {
  return names[model]?.includes(name) ?? true;
}

/** Consumers that may call a model by some of its names alone, with these names; undefined where there are none. */
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
  // A model's key is the model, also where an adapter of another has the same name.
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
