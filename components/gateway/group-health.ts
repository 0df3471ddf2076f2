/** `GET /<group>/health`: what the nodes of a server group say of themselves, for who has a key. */
import type { IBackendTrafficPolicy } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/BackendTrafficPolicy";
import type { IHTTPRoute } from "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute";
import type * as pulumi from "@pulumi/pulumi";
import { MODEL_LABEL, standardLabels } from "../../names/labels";
import { customResource } from "../core/custom-resource";
import { PlatformComponent } from "../core/platform-component";
import { NODE_HEALTH } from "../node/health-route";
import { NODE_HEALTH_PATH } from "../node/ports";
import { backendPolicy } from "./backend-policies";
import type { ResponseOverride } from "./envoy-gateway-types";
import { healthPart, outsideHealthPart } from "./health-checks";
import { HEADERS_THAT_STAY } from "./outside-access";
import type { OutsideAccess, Upstream } from "./published";
import { backendRefs, type Share, sharesOf } from "./shares";
import { withTokens } from "./tokens";
import { HTTPS_LISTENER, seconds } from "./traffic";

/** More than a node takes to ask its engine, with the listener's retries at other nodes. */
const TIMEOUT_SECONDS = 10;

/** Said by the gateway where no node is ready, or none is reached: what a node says whose engine it does not reach. */
const NO_NODE: ResponseOverride = {
  source: "Local",
  match: { statusCodes: [{ type: "Value", value: NODE_HEALTH.unhealthy.status }] },
  response: {
    contentType: "application/json",
    body: { type: "Inline", inline: NODE_HEALTH.unhealthy.body },
  },
};

/** Nothing that a client sent for the gateway's own use leaves it. */
const WITHOUT_CREDENTIALS = {
  type: "RequestHeaderModifier" as const,
  requestHeaderModifier: { remove: ["authorization", ...HEADERS_THAT_STAY] },
};

/** What a server outside answers to who has no key becomes what a node would say of itself; nothing of its own answer is passed on. */
function ofServer(healthy: readonly number[]): ResponseOverride[] {
  const says = ({ status, body }: (typeof NODE_HEALTH)[keyof typeof NODE_HEALTH]) => ({
    statusCode: status,
    contentType: "application/json",
    body: { type: "Inline" as const, inline: body },
  });
  return [
    {
      source: "Backend",
      match: { statusCodes: healthy.map((value) => ({ type: "Value" as const, value })) },
      response: says(NODE_HEALTH.ok),
    },
    {
      source: "Backend",
      match: { statusCodes: [{ type: "Range", range: { start: 100, end: 599 } }] },
      response: says(NODE_HEALTH.degraded),
    },
  ];
}

/** Nodes behind one path: `Published` and `KservePublished` are some. */
export interface HealthyGroup {
  readonly name: string;
  readonly upstream: Pick<Upstream, "host">;
  readonly revisions?: readonly Share[];
  /** Of a server outside, which has no `/health` of ours. @default nodes answer */
  readonly outside?: Pick<OutsideAccess, "health">;
}

export interface GroupHealthArgs {
  readonly namespace: pulumi.Input<string>;
  /** Each with a Backend of its name. */
  readonly groups: readonly HealthyGroup[];
  /** Whether tokens count besides keys. */
  readonly tokens: boolean;
  /** The policy that the routes' own is merged into. */
  readonly listenerPolicy: NonNullable<IBackendTrafficPolicy["spec"]>;
}

/**
 * One route per group, with the model's label: callers that may not use the model get no answer. A request counts towards the quota of
 * requests as any other.
 */
export class GroupHealth extends PlatformComponent {
  constructor(name: string, args: GroupHealthArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gateway:GroupHealth", name, opts);
    const { namespace, groups, tokens, listenerPolicy } = args;
    for (const { name: group, upstream, revisions, outside } of groups) {
      if (outside !== undefined && outside.health === undefined) {
        continue;
      }
      const metadata = {
        name: healthRouteName(group),
        namespace,
        labels: { ...standardLabels("model-route", group, { [MODEL_LABEL]: group }) },
      };
      customResource<IHTTPRoute>(
        this.child(`route-${group}`),
        {
          apiVersion: "gateway.networking.k8s.io/v1",
          kind: "HTTPRoute",
          ...metadata,
          spec: {
            parentRefs: [HTTPS_LISTENER],
            rules: withTokens(
              [
                {
                  matches: [{ method: "GET", path: { type: "Exact", value: `/${group}${NODE_HEALTH_PATH}` } }],
                  filters: [
                    {
                      type: "URLRewrite",
                      urlRewrite: {
                        hostname: upstream.host,
                        path: { type: "ReplaceFullPath", replaceFullPath: outside?.health?.path ?? NODE_HEALTH_PATH },
                      },
                    },
                    ...(outside === undefined ? [] : [WITHOUT_CREDENTIALS]),
                  ],
                  backendRefs: backendRefs(sharesOf(group, revisions)),
                  timeouts: { request: seconds(TIMEOUT_SECONDS) },
                },
              ],
              tokens,
            ),
          },
        },
        this.childOptions(),
      );
      backendPolicy(
        this.child(`backends-${group}`),
        {
          ...metadata,
          routes: [{ kind: "HTTPRoute", name: metadata.name }],
          parts: [
            outside === undefined ? healthPart(NODE_HEALTH_PATH) : outsideHealthPart({ outside }),
            // A list takes the place of the listener's: the first that matches answers, the others stay as they are.
            {
              responseOverride: [
                ...(outside?.health === undefined ? [] : ofServer(outside.health.healthy)),
                NO_NODE,
                ...(listenerPolicy.responseOverride ?? []),
              ],
            },
          ],
        },
        this.childOptions(),
      );
    }
    this.registerOutputs({});
  }
}

/** The HTTPRoute of a group's `/health`. */
export function healthRouteName(group: string): string {
  return `health-${group}`;
}
