import { z } from "zod";
import type { Deployment } from "../../harness/deploy";
import { metadataOf } from "../../stacks/kubernetes";

const TYPE = "type.googleapis.com/envoy";

const https = z.object({ sectionName: z.literal("https") });

/** What of the policy on the models' listener decides where a request goes. */
const clientSpec = z.object({
  targetRefs: z.tuple([https]),
  headers: z.object({ earlyRequestHeaders: z.strictObject({ remove: z.array(z.string()) }) }),
  path: z.strictObject({
    disableMergeSlashes: z.boolean(),
    escapedSlashesAction: z.enum(["KeepUnchanged", "RejectRequest", "UnescapeAndForward", "UnescapeAndRedirect"]),
  }),
});
const pathRoute = z.object({
  rules: z.tuple([
    z.object({
      matches: z.tuple([
        z.strictObject({ path: z.strictObject({ type: z.literal("PathPrefix"), value: z.string() }) }),
      ]),
      filters: z.array(
        z.object({
          urlRewrite: z
            .object({
              path: z.strictObject({ type: z.literal("ReplacePrefixMatch"), replacePrefixMatch: z.string() }),
            })
            .optional(),
        }),
      ),
    }),
  ]),
});
const modelRoute = z.object({
  rules: z.tuple([
    z.object({
      matches: z.array(
        z.strictObject({
          headers: z.tuple([z.strictObject({ type: z.literal("Exact"), name: z.string(), value: z.string() })]),
        }),
      ),
    }),
  ]),
});

/** How the models' listener tells requests apart. */
export interface ListenerRules {
  readonly client: z.output<typeof clientSpec>;
  /** Of each path that is matched, what stands in its place at the engine. */
  readonly prefixes: readonly { readonly prefix: string; readonly replacement: string }[];
  /** Headers that choose a model whatever the path is. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

/** @throws z.ZodError for routes and policies with matches that this file does not know. */
export function listenerRules(deployment: Deployment): ListenerRules {
  const client = deployment.ofKind("ClientTrafficPolicy").find((found) => metadataOf(found).name === "inference");
  const paths = deployment
    .ofKind("HTTPRoute")
    .filter(({ inputs }) => z.object({ parentRefs: z.tuple([https]) }).safeParse(inputs.spec).success)
    .map(({ inputs }) => pathRoute.parse(inputs.spec).rules[0]);
  return {
    client: clientSpec.parse(client?.inputs.spec),
    prefixes: paths.map(({ matches: [{ path }], filters }) => ({
      prefix: path.value,
      replacement: z.string().parse(filters.find((each) => each.urlRewrite)?.urlRewrite?.path.replacePrefixMatch),
    })),
    headers: deployment
      .ofKind("AIGatewayRoute")
      .flatMap(({ inputs }) => modelRoute.parse(inputs.spec).rules[0].matches.flatMap(({ headers }) => headers)),
  };
}

/**
 * Envoy's configuration of it, without TLS and keys, by the rules of Envoy Gateway 1.9 (internal/xds/translator: listener.go,
 * route.go) and Envoy AI Gateway 1.1 (internal/controller/ai_gateway_route.go: each match on `/`). The AI gateway's filter is
 * left out: it sets the models' header where it knows the path, and answers 404 elsewhere (internal/extproc/server.go).
 *
 * @param engine port behind every route.
 * @param normalize false: without what Envoy Gateway always asks for.
 */
export function modelsListener(
  { client, prefixes, headers }: ListenerRules,
  ports: { readonly admin: number; readonly gateway: number; readonly engine: number },
  normalize = true,
): object {
  const routes = [
    ...prefixes.map(({ prefix, replacement }) => ({
      match: { path_separated_prefix: prefix },
      route: { cluster: "engine", prefix_rewrite: replacement },
    })),
    ...headers.map(({ name, value }) => ({
      match: { prefix: "/", headers: [{ name, string_match: { exact: value } }] },
      route: { cluster: "engine" },
    })),
  ];
  return {
    admin: { address: address(ports.admin) },
    static_resources: {
      listeners: [
        {
          name: "https",
          address: address(ports.gateway),
          filter_chains: [
            {
              filters: [
                typed(
                  "envoy.filters.network.http_connection_manager",
                  "extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
                  {
                    stat_prefix: "https",
                    use_remote_address: true,
                    normalize_path: normalize,
                    merge_slashes: !client.path.disableMergeSlashes,
                    path_with_escaped_slashes_action: constant(client.path.escapedSlashesAction),
                    early_header_mutation_extensions: [
                      typed(
                        "envoy.http.early_header_mutation.header_mutation",
                        "extensions.http.early_header_mutation.header_mutation.v3.HeaderMutation",
                        { mutations: client.headers.earlyRequestHeaders.remove.map((remove) => ({ remove })) },
                      ),
                    ],
                    http_filters: [typed("envoy.filters.http.router", "extensions.filters.http.router.v3.Router")],
                    route_config: { virtual_hosts: [{ name: "https", domains: ["*"], routes }] },
                  },
                ),
              ],
            },
          ],
        },
      ],
      clusters: [
        {
          name: "engine",
          type: "STATIC",
          load_assignment: {
            cluster_name: "engine",
            endpoints: [{ lb_endpoints: [{ endpoint: { address: address(ports.engine) } }] }],
          },
        },
      ],
    },
  };
}

/** `UnescapeAndRedirect` as Envoy writes it. */
function constant(words: string): string {
  return words.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
}

function address(port: number): object {
  return { socket_address: { address: "127.0.0.1", port_value: port } };
}

function typed(name: string, type: string, config: object = {}): object {
  return { name, typed_config: { "@type": `${TYPE}.${type}`, ...config } };
}
