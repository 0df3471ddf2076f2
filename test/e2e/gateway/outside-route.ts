import { z } from "zod";
import type { Deployment } from "../../harness/deploy";
import { metadataOf } from "../../stacks/kubernetes";
import type { IssuedCertificate } from "../model-store/authority";

const TYPE = "type.googleapis.com/envoy";

const backendSpec = z.object({
  endpoints: z.tuple([
    z.union([
      z.object({ fqdn: z.object({ hostname: z.string(), port: z.number() }) }),
      z.object({ ip: z.object({ address: z.string(), port: z.number() }) }),
    ]),
  ]),
  tls: z
    .object({
      sni: z.string(),
      caCertificateRefs: z.tuple([z.object({ kind: z.literal("ConfigMap"), name: z.string() })]),
    })
    .optional(),
});
const routeSpec = z.object({
  rules: z.tuple([
    z.object({
      matches: z.tuple([z.object({ path: z.object({ type: z.literal("PathPrefix"), value: z.string() }) })]),
      filters: z.array(
        z.union([
          z.strictObject({
            type: z.literal("URLRewrite"),
            urlRewrite: z.object({
              hostname: z.string().optional(),
              path: z.object({ type: z.literal("ReplacePrefixMatch"), replacePrefixMatch: z.string() }),
            }),
          }),
          z.strictObject({
            type: z.literal("RequestHeaderModifier"),
            requestHeaderModifier: z.object({
              set: z.array(z.object({ name: z.string(), value: z.string() })),
              remove: z.array(z.string()),
            }),
          }),
          z.strictObject({
            type: z.literal("ExtensionRef"),
            extensionRef: z.object({ kind: z.literal("HTTPRouteFilter"), name: z.string() }),
          }),
        ]),
      ),
    }),
  ]),
});
const filterSpec = z.object({
  credentialInjection: z.object({
    overwrite: z.boolean(),
    credential: z.object({ valueRef: z.object({ name: z.string() }) }),
  }),
});
const securitySpec = z.object({
  apiKeyAuth: z.object({
    credentialRefs: z.array(z.object({ name: z.string() })),
    extractFrom: z.tuple([z.object({ headers: z.array(z.string()) })]),
    forwardClientIDHeader: z.string(),
    sanitize: z.boolean(),
  }),
});

/** Addresses of the loopback interface, in place of the gateway's and the server's. */
export interface RoutePorts {
  readonly admin: number;
  readonly gateway: number;
  readonly server: number;
}

/**
 * Envoy's configuration for the way by path to a server outside, as it is rendered, by the rules of Envoy Gateway 1.9
 * (internal/xds/translator: api_key_auth.go, credentialInjector.go, route.go, translator.go for the upstream's TLS; order of
 * filters: httpfilters.go). Only addresses are replaced.
 */
export function outsideRoute(
  deployment: Deployment,
  model: string,
  ports: RoutePorts,
  certificate: IssuedCertificate,
): object {
  const spec = <T>(kind: string, name: string, schema: z.ZodType<T>): T => {
    const found = deployment.ofKind(kind).find((resource) => metadataOf(resource).name === name);
    return schema.parse(found?.inputs.spec);
  };
  const secret = (name: string): Record<string, string> => {
    const secrets = deployment.ofType("kubernetes:core/v1:Secret");
    return z
      .record(z.string(), z.string())
      .parse(secrets.find((resource) => metadataOf(resource).name === name)?.inputs.stringData);
  };
  const backend = spec("Backend", model, backendSpec);
  const [rule] = spec("HTTPRoute", `path-${model}`, routeSpec).rules;
  const { apiKeyAuth } = spec("SecurityPolicy", "inference", securitySpec);
  const rewrite = rule.filters.find((each) => each.type === "URLRewrite")?.urlRewrite;
  const headers = rule.filters.find((each) => each.type === "RequestHeaderModifier")?.requestHeaderModifier;
  const extension = rule.filters.find((each) => each.type === "ExtensionRef")?.extensionRef;
  const injection = extension && spec("HTTPRouteFilter", extension.name, filterSpec).credentialInjection;
  const consumers = apiKeyAuth.credentialRefs.flatMap(({ name }) => Object.entries(secret(name)));
  const [prefix] = rule.matches.map(({ path }) => path.value);
  return {
    admin: { address: address(ports.admin) },
    static_resources: {
      ...(injection && {
        secrets: [
          {
            name: "credential",
            generic_secret: { secret: inline(secret(injection.credential.valueRef.name).credential) },
          },
        ],
      }),
      listeners: [
        {
          name: "tcp-443",
          address: address(ports.gateway),
          filter_chains: [
            {
              filters: [
                typed(
                  "envoy.filters.network.http_connection_manager",
                  "extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
                  {
                    stat_prefix: "https",
                    http_filters: [
                      typed("envoy.filters.http.api_key_auth", "extensions.filters.http.api_key_auth.v3.ApiKeyAuth", {
                        credentials: consumers.map(([client, key]) => ({ client, key })),
                        key_sources: apiKeyAuth.extractFrom[0].headers.map((header) => ({ header })),
                        forwarding: { header: apiKeyAuth.forwardClientIDHeader, hide_credentials: apiKeyAuth.sanitize },
                      }),
                      ...(injection
                        ? [
                            typed(
                              "envoy.filters.http.credential_injector",
                              "extensions.filters.http.credential_injector.v3.CredentialInjector",
                              {
                                overwrite: injection.overwrite,
                                credential: typed(
                                  "envoy.http.injected_credentials.generic",
                                  "extensions.http.injected_credentials.generic.v3.Generic",
                                  {
                                    credential: { name: "credential" },
                                  },
                                ),
                              },
                            ),
                          ]
                        : []),
                      typed("envoy.filters.http.router", "extensions.filters.http.router.v3.Router"),
                    ],
                    route_config: {
                      virtual_hosts: [
                        {
                          name: "https",
                          domains: ["*"],
                          routes: [
                            {
                              match: { path_separated_prefix: prefix },
                              route: {
                                cluster: model,
                                prefix_rewrite: rewrite?.path.replacePrefixMatch,
                                ...(rewrite?.hostname !== undefined && { host_rewrite_literal: rewrite.hostname }),
                              },
                              request_headers_to_add: headers?.set.map(({ name: key, value }) => ({
                                header: { key, value },
                                append_action: "OVERWRITE_IF_EXISTS_OR_ADD",
                              })),
                              request_headers_to_remove: headers?.remove,
                            },
                          ],
                        },
                      ],
                    },
                  },
                ),
              ],
              transport_socket: typed(
                "envoy.transport_sockets.tls",
                "extensions.transport_sockets.tls.v3.DownstreamTlsContext",
                {
                  common_tls_context: {
                    tls_certificates: [
                      {
                        certificate_chain: inline(certificate["tls.crt"]),
                        private_key: inline(certificate["tls.key"]),
                      },
                    ],
                  },
                },
              ),
            },
          ],
        },
      ],
      clusters: [
        {
          name: model,
          type: "STATIC",
          load_assignment: {
            cluster_name: model,
            endpoints: [{ lb_endpoints: [{ endpoint: { address: address(ports.server) } }] }],
          },
          ...(backend.tls && { transport_socket: upstreamTls(deployment, backend.tls) }),
        },
      ],
    },
  };
}

/** A literal SNI is what the certificate must be of, as a DNS name. */
function upstreamTls(
  deployment: Deployment,
  { sni, caCertificateRefs: [{ name }] }: NonNullable<z.output<typeof backendSpec>["tls"]>,
) {
  const configMap = deployment
    .ofType("kubernetes:core/v1:ConfigMap")
    .find((resource) => metadataOf(resource).name === name);
  const { "ca.crt": authorities } = z.object({ "ca.crt": z.string() }).parse(configMap?.inputs.data);
  return typed("envoy.transport_sockets.tls", "extensions.transport_sockets.tls.v3.UpstreamTlsContext", {
    sni,
    common_tls_context: {
      validation_context: {
        trusted_ca: inline(authorities),
        match_typed_subject_alt_names: [{ san_type: "DNS", matcher: { exact: sni } }],
      },
    },
  });
}

function address(port: number): object {
  return { socket_address: { address: "127.0.0.1", port_value: port } };
}

function inline(text: string | undefined): object {
  return { inline_string: text };
}

function typed(name: string, type: string, config: object = {}): object {
  return { name, typed_config: { "@type": `${TYPE}.${type}`, ...config } };
}
