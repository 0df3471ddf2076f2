import table from "./node-agents.json";

/** All nodes, a provider's, or those with such an RDMA network. */
export const AGENT_PLACES = ["every", "oci", "aws", "roce", "efa"] as const;
export type AgentPlace = (typeof AGENT_PLACES)[number];

/** What one DaemonSet of another owner requests on each of its nodes. */
export interface NodeAgentRow {
  readonly name: string;
  readonly where: AgentPlace;
  /** Cores. */
  readonly cpu: number;
  readonly memoryMiB: number;
  readonly source: string;
}

// Checked against catalog/schema by test/catalog.
export const nodeAgentRows = table.agents as readonly NodeAgentRow[];
