/**
 * Sidecar that calls the gateway's Service without external DNS, and checks the certificate for its
 * hostname. Envoy 1.40.
 */
import { GATEWAY_NAME } from "../../names/gateway";
import { GATEWAY_NAMESPACE } from "../../names/namespaces";
import { serviceFqdn } from "../../names/service-host";
import { duration, extension, socket } from "../node/envoy-extension";
import { GATEWAY_LINK_PORT } from "./variables";

export interface GatewayLinkArgs {
  /** Name that the gateway's certificate is for. */
  readonly hostname: string;
  /** CAs, PEM file. */
  readonly authorities: string;
  /** Where the gateway answers. @default its Service */
  readonly gateway?: { readonly host: string; readonly port: number };
}

const CLUSTER = "gateway";

/** System CAs in Envoy's image. */
export const SYSTEM_AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt";

const SERVICE = { host: serviceFqdn(GATEWAY_NAME, GATEWAY_NAMESPACE), port: 443 } as const;

/** An hour: the gateway cuts streams, not this. */
const STREAM_IDLE_SECONDS = 3600;

export function gatewayLinkConfig({ hostname, authorities, gateway = SERVICE }: GatewayLinkArgs): object {
  return {
    static_resources: {
      listeners: [
        {
          name: CLUSTER,
          address: socket("127.0.0.1", GATEWAY_LINK_PORT),
          filter_chains: [{ filters: [connectionManager(hostname)] }],
        },
      ],
      clusters: [
        {
          name: CLUSTER,
          type: "STRICT_DNS",
          connect_timeout: duration(5),
          load_assignment: {
            cluster_name: CLUSTER,
            endpoints: [{ lb_endpoints: [{ endpoint: { address: socket(gateway.host, gateway.port) } }] }],
          },
          transport_socket: extension(
            "envoy.transport_sockets.tls",
            "extensions.transport_sockets.tls.v3.UpstreamTlsContext",
            {
              sni: hostname,
              common_tls_context: {
                tls_params: { tls_minimum_protocol_version: "TLSv1_2" },
                validation_context: {
                  trusted_ca: { filename: authorities },
                  match_typed_subject_alt_names: [{ san_type: "DNS", matcher: { exact: hostname } }],
                },
              },
            },
          ),
        },
      ],
    },
  };
}

function connectionManager(hostname: string): object {
  return extension(
    "envoy.filters.network.http_connection_manager",
    "extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
    {
      stat_prefix: CLUSTER,
      codec_type: "HTTP1",
      stream_idle_timeout: duration(STREAM_IDLE_SECONDS),
      route_config: {
        virtual_hosts: [
          {
            name: CLUSTER,
            domains: ["*"],
            routes: [
              {
                match: { prefix: "/v1/" },
                route: { cluster: CLUSTER, host_rewrite_literal: hostname, timeout: duration(0) },
              },
            ],
          },
        ],
      },
      http_filters: [extension("envoy.filters.http.router", "extensions.filters.http.router.v3.Router")],
    },
  );
}
