import type { IEnvoyExtensionPolicy } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/EnvoyExtensionPolicy";
import type * as pulumi from "@pulumi/pulumi";
import { MODEL_LABEL, standardLabels } from "../../names/labels";
import { shippedText } from "../../names/shipped-file";
import { mayUse, nameLimits, type Tenant } from "../../planner/tenants";
import { customResource } from "../core/custom-resource";
import { PlatformComponent } from "../core/platform-component";
import type { ModelEndpoint } from "../serving/endpoint";
import type { IMergedSecurityPolicy } from "./envoy-gateway-types";
import { CONSUMER_HEADER, GATEWAY_NAME, MODEL_HEADER } from "./names";
import { HTTPS_LISTENER } from "./traffic";

/** Values that a condition on one header takes (CRD of Envoy Gateway 1.9, authorization_types.go). */
const MAX_VALUES = 256;

type Authorization = NonNullable<NonNullable<IMergedSecurityPolicy["spec"]>["authorization"]>;

/**
 * Lets these consumers pass, and no others. Envoy asks it after the AI gateway's filter, of the route of the model that the
 * request names in the end; the header is the gateway's own, a client's is gone by then.
 */
export function onlyFor(consumers: readonly string[]): Authorization {
  const parts = Array.from({ length: Math.ceil(consumers.length / MAX_VALUES) }, (_, part) =>
    consumers.slice(part * MAX_VALUES, (part + 1) * MAX_VALUES),
  );
  return {
    defaultAction: "Deny",
    rules: parts.map((values) => ({
      action: "Allow",
      principal: { headers: [{ name: CONSUMER_HEADER, values }] },
    })),
  };
}

/** The same of one model, which consumers that are kept to some of its names may call by these alone: both headers must match. */
function access(model: string, tenants: readonly Tenant[]): Authorization {
  const limits = nameLimits(model, tenants) ?? {};
  const callers = tenants.filter((tenant) => mayUse(tenant, model)).map(({ name }) => name);
  const { rules = [], ...rest } = onlyFor(callers.filter((name) => limits[name] === undefined));
  return {
    ...rest,
    rules: [
      ...rules,
      ...Object.entries(limits).map(([name, names]) => ({
        action: "Allow" as const,
        principal: {
          headers: [
            { name: CONSUMER_HEADER, values: [name] },
            { name: MODEL_HEADER, values: [...names] },
          ],
        },
      })),
    ],
  };
}

/** What the gateway publishes as one model: by its key in the environment, with all servers that answer for it. */
export interface PublishedModel {
  readonly name: string;
  /** Values of the models' label on its routes: its own, those of its other revisions, and those of the server groups of either. */
  readonly servers: readonly string[];
}

/**
 * The models of a gateway; a revision is the model that it is of.
 *
 * @param groups further ways to those models, each by the model that it leads to. @default there are none
 */
export function publishedModels(
  endpoints: readonly Pick<ModelEndpoint, "model" | "revisionOf">[],
  outside: readonly { readonly name: string }[],
  groups: readonly { readonly name: string; readonly model?: string }[] = [],
): PublishedModel[] {
  const named = endpoints.filter(({ revisionOf }) => revisionOf === undefined).map(({ model }) => model);
  return [...named, ...outside.map(({ name }) => name)].map((name) => {
    const own = [name, ...endpoints.flatMap(({ model, revisionOf }) => (revisionOf?.model === name ? [model] : []))];
    const ways = groups.flatMap((group) =>
      group.model !== undefined && own.includes(group.model) ? [group.name] : [],
    );
    return { name, servers: [...own, ...ways] };
  });
}

export interface TenantsArgs {
  readonly namespace: pulumi.Input<string>;
  readonly tenants: readonly Tenant[];
  readonly models: readonly PublishedModel[];
  /** See `callerScript`. */
  readonly callerScript: string;
}

/**
 * What follows from knowing the caller: backends receive its name, and models that it may not use are refused. One policy for each
 * model that is not for all, on every route that bears the model's label, whatever the path or protocol.
 */
export class Tenants extends PlatformComponent {
  /** All of them; the gateway must not open before. */
  readonly policies: readonly pulumi.Resource[];

  constructor(name: string, args: TenantsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gateway:Tenants", name, opts);
    const { namespace, tenants, models } = args;
    const header = customResource<IEnvoyExtensionPolicy>(
      this.child("header"),
      {
        apiVersion: "gateway.envoyproxy.io/v1alpha1",
        kind: "EnvoyExtensionPolicy",
        name: GATEWAY_NAME,
        namespace,
        spec: {
          targetRefs: [HTTPS_LISTENER],
          lua: [{ type: "Inline", inline: args.callerScript }],
        },
      },
      this.childOptions(),
    );
    const restricted = models.filter(({ name: model }) =>
      tenants.some((tenant) => !mayUse(tenant, model) || tenant.names?.[model] !== undefined),
    );
    const policies = restricted.map((model) =>
      customResource<IMergedSecurityPolicy>(
        this.child(`model-${model.name}`),
        {
          apiVersion: "gateway.envoyproxy.io/v1alpha1",
          kind: "SecurityPolicy",
          name: `model-${model.name}`,
          namespace,
          labels: { ...standardLabels("model-access", model.name, { [MODEL_LABEL]: model.name }) },
          spec: {
            targetSelectors: (["HTTPRoute", "GRPCRoute"] as const).map((kind) => ({
              group: "gateway.networking.k8s.io",
              kind,
              matchExpressions: [{ key: MODEL_LABEL, operator: "In", values: [...model.servers] }],
            })),
            mergeType: "JSONMerge",
            authorization: access(model.name, tenants),
          },
        },
        this.childOptions(),
      ),
    );
    this.policies = [header, ...policies];
    this.registerOutputs({});
  }
}

/**
 * The script that runs once the caller is known, before the AI gateway's filter (`scripts/caller.lua`).
 *
 * @param consumers who may call at all. @default all that get so far
 */
export function callerScript(consumers?: readonly string[]): string {
  const known = consumers && `{ ${consumers.map((name) => `["${name}"] = true`).join(", ")} }`;
  const script = shippedText("components/gateway/scripts/caller.lua");
  return `local consumers = ${known ?? "nil"}\n\n${script}`;
}
