/**
 * What is different on the way to one model: the listener's policy (`traffic.ts`) holds for all, and one policy per route adds
 * to it. Each concern gives a part; a route can have but one policy of its own, so the parts are put together here.
 */
import type { IBackendTrafficPolicy } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/BackendTrafficPolicy";
import type * as pulumi from "@pulumi/pulumi";
import type { Labels } from "../../names/labels";
import { customResource } from "../core/custom-resource";

type Spec = NonNullable<IBackendTrafficPolicy["spec"]> & {
  /** Envoy Gateway 1.9 (admission_control.go); the package of its types does not know it yet. */
  readonly admissionControl?: {
    readonly samplingWindow: string;
    /** Percent. */
    readonly minSuccessRate: number;
    /** Percent. */
    readonly maxRejectionPercent: number;
  };
};

/**
 * What one concern asks of the way to a model. It is merged into the listener's policy, key by key at every depth; but the API
 * server fills in what a key's own CRD has defaults for, and those win over the listener's: give `circuitBreaker` whole.
 */
export type BackendPart = Readonly<
  Partial<
    Pick<Spec, "loadBalancer" | "healthCheck" | "circuitBreaker" | "retry" | "admissionControl" | "responseOverride">
  >
>;

/** A route that Envoy Gateway knows; of an AIGatewayRoute, the HTTPRoute of the same name that is made of it. */
export interface PolicedRoute {
  readonly kind: "HTTPRoute" | "GRPCRoute";
  readonly name: string;
}

export interface BackendPolicyArgs {
  readonly namespace: pulumi.Input<string>;
  readonly name: string;
  readonly labels: Labels;
  /** Routes that no other policy names: Envoy Gateway refuses the second one. */
  readonly routes: readonly PolicedRoute[];
  /** Undefined: that concern asks for nothing. */
  readonly parts: readonly (BackendPart | undefined)[];
}

/**
 * Makes the one policy of some routes; none where no part asks for anything.
 * @throws Error where two parts give the same key.
 */
export function backendPolicy(
  logicalName: string,
  { namespace, name, labels, routes, parts }: BackendPolicyArgs,
  opts: pulumi.CustomResourceOptions,
): void {
  const settings = together(parts);
  if (Object.keys(settings).length === 0) {
    return;
  }
  customResource<IBackendTrafficPolicy>(
    logicalName,
    {
      apiVersion: "gateway.envoyproxy.io/v1alpha1",
      kind: "BackendTrafficPolicy",
      name,
      namespace,
      labels,
      spec: {
        targetRefs: routes.map((route) => ({ group: "gateway.networking.k8s.io", ...route })),
        // Without it, the policy of a route would replace the listener's, and with it timeouts, limits and retries.
        mergeType: "StrategicMerge",
        ...settings,
      },
    },
    opts,
  );
}

function together(parts: BackendPolicyArgs["parts"]): BackendPart {
  const settings: BackendPart = {};
  for (const part of parts) {
    const twice = Object.keys(part ?? {}).find((key) => key in settings);
    if (twice !== undefined) {
      throw new Error(`two concerns set ${twice} on the way to one model`);
    }
    Object.assign(settings, part);
  }
  return settings;
}
