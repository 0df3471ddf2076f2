import type { Connection } from "../../components/core/connections";

/** Connections by their names, without their reasons. */
export function byName(connections: readonly Connection[]): Record<string, Pick<Connection, "from" | "to" | "ports">> {
  return Object.fromEntries(connections.map(({ name, from, to, ports }) => [name, { from, to, ports }]));
}

/** A cluster that says nothing of its networks. */
export const NETWORKS = { privateCidrs: [], apiServerCidrs: [] } as const;

/** The internet, as a cluster without networks of its own knows it. */
export const INTERNET = {
  cidr: "0.0.0.0/0",
  except: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16"],
} as const;
