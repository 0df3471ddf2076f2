import type { Tenant } from "./tenants";

export interface Quota {
  readonly tenant: string;
  readonly kind: QuotaKind;
  readonly perMinute: number;
}

/** Tokens of prompts and answers together. */
export type QuotaKind = "requests" | "tokens";

/**
 * Envoy Gateway's limit of `rateLimit.global.rules` in a BackendTrafficPolicy (CRD of 1.9.0,
 * maxItems).
 */
export const MOST_QUOTAS = 256;

/** In the environment's order: the index is the rule's number in metrics. */
export function quotasOf(tenants: readonly Tenant[]): Quota[] {
  return tenants.flatMap(({ name: tenant, requestsPerMinute, tokensPerMinute }) => [
    ...(requestsPerMinute === undefined ? [] : [{ tenant, kind: "requests" as const, perMinute: requestsPerMinute }]),
    ...(tokensPerMinute === undefined ? [] : [{ tenant, kind: "tokens" as const, perMinute: tokensPerMinute }]),
  ]);
}
