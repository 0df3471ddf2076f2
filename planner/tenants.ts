import type { CertificateFile } from "./types";

/** Who calls models, and within which limits. */
export interface Tenant {
  /** Name of the consumer; its API key and its tokens lead to the same tenant. */
  readonly name: string;
  /** Keys of models in the environment. @default all */
  readonly models?: readonly string[];
  /** Requests per minute of all its clients, at all proxies together. @default no limit */
  readonly requestsPerMinute?: number;
  /** Tokens of prompts and answers per minute, likewise. @default no limit */
  readonly tokensPerMinute?: number;
  /** `free` is refused first when a model has more than it can do. */
  readonly priority: Priority;
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

/** The limits of one consumer, as an environment states them. */
type Limits = Partial<Omit<Tenant, "name">>;

/** Consumers as an environment names them: in a list where none has limits, else with their limits. */
export type Consumers =
  | readonly string[]
  | Readonly<Record<string, { readonly [K in keyof Limits]: Limits[K] | undefined }>>;

/** The tenants of an environment, in its order. */
export function tenantsOf(consumers: Consumers): Tenant[] {
  if (isList(consumers)) {
    return consumers.map((name) => ({ name, priority: "paid" }));
  }
  return Object.entries(consumers).map(([name, { models, requestsPerMinute, tokensPerMinute, priority = "paid" }]) => ({
    name,
    ...(models && { models }),
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    ...(tokensPerMinute !== undefined && { tokensPerMinute }),
    priority,
  }));
}

/** Whether a tenant may call a model, by its key in the environment. */
export function mayUse({ models }: Tenant, model: string): boolean {
  return models === undefined || models.includes(model);
}

function isList(consumers: Consumers): consumers is readonly string[] {
  return Array.isArray(consumers);
}
