import type { Tenant } from "./tenants";

/** What one tenant may use up in a minute. */
export interface Quota {
  readonly tenant: string;
  readonly kind: QuotaKind;
  readonly perMinute: number;
}

/** Requests, or tokens of prompts and answers together. */
export type QuotaKind = "requests" | "tokens";

/** Rules of one rate limit policy: `rateLimit.global.rules` of Envoy Gateway's BackendTrafficPolicy (CRD of 1.9.0, maxItems). */
export const MOST_QUOTAS = 256;

/** The quotas of an environment, in its order: the place of each is the number of its rule, which metrics name it by. */
export function quotasOf(tenants: readonly Tenant[]): Quota[] {
  return tenants.flatMap(({ name: tenant, requestsPerMinute, tokensPerMinute }) => [
    ...(requestsPerMinute === undefined ? [] : [{ tenant, kind: "requests" as const, perMinute: requestsPerMinute }]),
    ...(tokensPerMinute === undefined ? [] : [{ tenant, kind: "tokens" as const, perMinute: tokensPerMinute }]),
  ]);
}
