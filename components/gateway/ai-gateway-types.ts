/**
 * Custom resources of Envoy AI Gateway v1.1.0 (`aigateway.envoyproxy.io/v1beta1`), as far as they are used here; no
 * package has their types. The tests check what is rendered against the CRDs' own schemas.
 */
import type { Manifest } from "../core/custom-resource";
import type { ContainerResources } from "../core/resources";

interface Reference {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** What a rule of an AIGatewayRoute matches: any of these, each by all of its headers. */
export type ModelMatches = readonly {
  readonly headers: readonly {
    readonly type: "Exact" | "RegularExpression";
    readonly name: string;
    readonly value: string;
  }[];
}[];

export interface IAIGatewayRoute extends Manifest {
  readonly apiVersion: "aigateway.envoyproxy.io/v1beta1";
  readonly kind: "AIGatewayRoute";
  readonly spec?: {
    readonly parentRefs: readonly (Reference & { readonly sectionName?: string })[];
    readonly rules: readonly {
      readonly matches: ModelMatches;
      readonly backendRefs: readonly {
        readonly name: string;
        readonly priority: number;
        readonly weight: number;
        /** Replaces the `model` field on its way to the backend. */
        readonly modelNameOverride?: string;
      }[];
      /** 60 s unless set. */
      readonly timeouts: { readonly request: string };
      readonly modelsOwnedBy?: string;
    }[];
    readonly llmRequestCosts?: readonly {
      readonly metadataKey: string;
      readonly type: "InputToken" | "OutputToken" | "TotalToken";
    }[];
  };
}

/** What a backend speaks. OpenAI takes a path prefix, Cohere a version. */
export type ApiSchema =
  | { readonly name: "OpenAI"; readonly prefix: string }
  | { readonly name: "Cohere"; readonly version: string };

export interface IAIServiceBackend extends Manifest {
  readonly apiVersion: "aigateway.envoyproxy.io/v1beta1";
  readonly kind: "AIServiceBackend";
  readonly spec?: {
    readonly schema: ApiSchema;
    /** Must be a Backend of Envoy Gateway. */
    readonly backendRef: Reference;
    readonly headerMutation?: { readonly remove: readonly string[] };
  };
}

/** How backends learn the caller. */
export interface IBackendSecurityPolicy extends Manifest {
  readonly apiVersion: "aigateway.envoyproxy.io/v1beta1";
  readonly kind: "BackendSecurityPolicy";
  readonly spec?: {
    readonly targetRefs: readonly Reference[];
    readonly type: "APIKey";
    /** A Secret of the same namespace; the key is under `apiKey`. */
    readonly apiKey: { readonly secretRef: Reference };
  };
}

/** Settings of the filter next to Envoy; a Gateway refers to it by annotation. */
export interface IGatewayConfig extends Manifest {
  readonly apiVersion: "aigateway.envoyproxy.io/v1beta1";
  readonly kind: "GatewayConfig";
  readonly spec?: {
    readonly extProc: {
      readonly kubernetes: { readonly resources: ContainerResources; readonly securityContext: object };
    };
  };
}

/** Annotation of a Gateway that names its GatewayConfig. */
export const GATEWAY_CONFIG_ANNOTATION = "aigateway.envoyproxy.io/gateway-config";

/**
 * Annotation of the HTTPRoutes on which the AI gateway's filter is on. Its controller puts it on those that it makes (v1.1.0,
 * internal/controller/ai_gateway_route.go); the filter asks for nothing else (internal/extensionserver/post_translate_modify.go).
 */
export const AI_FILTER_ANNOTATION = "gateway.envoyproxy.io/ai-gateway-generated";
