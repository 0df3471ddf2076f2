/** Where clients and browsers find the gateway. Pure: commands about the catalogue read it. */
import { GATEWAY_NAME } from "../../names/gateway";
import { GATEWAY_NODE_PORTS } from "../../names/gateway-node-ports";
import { GATEWAY_NAMESPACE } from "../../names/namespaces";
import type { GatewayTls } from "./certificate";
import type { Exposure } from "./proxy-pods";

/** How clients reach the gateway; decides the address and what a first call needs besides it. */
export interface GatewayAccess {
  readonly hostname: string;
  readonly exposure: Exposure;
  readonly tls: GatewayTls;
}

/** `https://<hostname>`, with the port where it is not 443. */
export function gatewayAddress({ hostname, exposure }: Pick<GatewayAccess, "hostname" | "exposure">): string {
  return exposure === "NodePort" ? `https://${hostname}:${GATEWAY_NODE_PORTS.https}` : `https://${hostname}`;
}

/** Port of the loopback interface at which forwarded connections are taken: below 1024 that takes an administrator. */
export const FORWARDED_PORT = 8443;

/** Command that takes connections there, through the API server. */
export const FORWARD = `kubectl -n ${GATEWAY_NAMESPACE} port-forward service/${GATEWAY_NAME} ${FORWARDED_PORT}:443`;

/** How browsers reach a hostname of a gateway without an address outside, once hosts files lead the name to 127.0.0.1. */
export function forwarded({
  hostname,
  exposure,
}: Pick<GatewayAccess, "hostname" | "exposure">): { readonly address: string; readonly command: string } | undefined {
  return exposure === "ClusterIP" ? { address: `https://${hostname}:${FORWARDED_PORT}`, command: FORWARD } : undefined;
}
