/** Fields of Envoy Gateway 1.9 that the package of its types does not know yet; the tests check all against the CRDs' schemas. */
import type { IBackendTrafficPolicy } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/BackendTrafficPolicy";
import type { IClientTrafficPolicy } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/ClientTrafficPolicy";
import type { ISecurityPolicy } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/SecurityPolicy";
import type { Manifest } from "../core/custom-resource";

export interface IMergedSecurityPolicy extends Manifest {
  readonly apiVersion: "gateway.envoyproxy.io/v1alpha1";
  readonly kind: "SecurityPolicy";
  readonly spec?: ISecurityPolicy["spec"] & {
    /** Of a policy on routes: it changes what it names of the listener's policy. Without it, it replaces all of that. */
    readonly mergeType?: "JSONMerge";
  };
}

type BackendTraffic = NonNullable<IBackendTrafficPolicy["spec"]>;
type AnyResponseOverride = NonNullable<BackendTraffic["responseOverride"]>[number];
type AnyRateLimitRule = NonNullable<NonNullable<NonNullable<BackendTraffic["rateLimit"]>["global"]>["rules"]>[number];

export type ResponseOverride = AnyResponseOverride & {
  /** Whose answers are replaced: Envoy's own, or those of backends. */
  readonly source: "Local" | "Backend";
  readonly match: AnyResponseOverride["match"] & {
    /** All of them must match, and one of the status codes. @default nothing */
    readonly responseHeaders?: {
      readonly name: string;
      readonly value: { readonly type: "Exact" | "Prefix" | "RegularExpression"; readonly value: string };
    }[];
  };
};

export type RateLimitRule = AnyRateLimitRule & {
  /** Whether answers say, in `x-ratelimit-*`, what is left of this rule. */
  readonly xRateLimitHeaders: "Off" | "DraftVersion03";
};

type AnyClientTraffic = NonNullable<IClientTrafficPolicy["spec"]>;
type AnyTimeout = NonNullable<AnyClientTraffic["timeout"]>;

export type ClientTimeout = AnyTimeout & {
  readonly http: NonNullable<AnyTimeout["http"]> & {
    /** From the first byte of a request's head to the last. @default none */
    readonly requestHeadersReceivedTimeout: string;
  };
};
