/**
 * External servers that mesh pods may call: in sidecar mode all others are blocked
 * (`REGISTRY_ONLY`). Sidecars match by SNI, by the Host of plain requests, or by address.
 */
import type { IServiceEntry } from "@kubernetes-models/istio/networking.istio.io/v1/ServiceEntry";
import { addressNetwork, type OutsideServer } from "../../names/outside-server";
import { type Guard, guard } from "./guard";

/** A server, or with `*.` before its host all servers below a domain. */
export type EgressServer = Pick<OutsideServer, "host" | "family" | "port" | "tls">;

/** A server known by name, with TLS at the default port. */
export function egressHost(host: string): EgressServer {
  return { host, family: undefined, port: 443, tls: true };
}

export function egressEntries(servers: readonly EgressServer[]): Guard[] {
  const byHost = new Map<string, EgressServer[]>();
  for (const server of servers) {
    byHost.set(server.host, [...(byHost.get(server.host) ?? []), server]);
  }
  return [...byHost].sort(([a], [b]) => (a < b ? -1 : 1)).map(([host, ofHost]) => entryOf(host, ofHost));
}

function entryOf(host: string, servers: readonly EgressServer[]): Guard {
  const [address] = servers.flatMap((server) => addressNetwork(server) ?? []);
  const ports = new Map(
    servers.map((server) => [server.port, { number: server.port, ...protocolOf(server) }] as const),
  );
  const name = `egress-${host.replace(/^\*\./, "any-").replace(/[^a-z0-9-]+/g, "-")}`;
  return guard<IServiceEntry>({
    apiVersion: "networking.istio.io/v1",
    kind: "ServiceEntry",
    name,
    spec: {
      // Placeholder host: only the address counts.
      hosts: [address === undefined ? host : `${name}.invalid`],
      ...(address !== undefined && { addresses: [address] }),
      location: "MESH_EXTERNAL",
      // Connections keep the address that the pod resolved; NetworkPolicies restrict it.
      resolution: "NONE",
      ports: [...ports.values()].sort((a, b) => a.number - b.number),
    },
  });
}

function protocolOf(server: EgressServer): { readonly name: string; readonly protocol: "TCP" | "TLS" | "HTTP" } {
  if (server.family !== undefined) {
    return { name: `tcp-${server.port}`, protocol: "TCP" };
  }
  return server.tls
    ? { name: `tls-${server.port}`, protocol: "TLS" }
    : { name: `http-${server.port}`, protocol: "HTTP" };
}
