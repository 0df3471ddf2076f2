import table from "./node-start.json";
import { isOciBareMetal, type MachineShape, type Provider } from "./shapes";

/** How long machines of one kind take to become nodes. */
export interface NodeStart {
  readonly provider: Provider;
  readonly bareMetal: boolean;
  readonly seconds: number;
  readonly confidence: "read" | "assumed";
  readonly source: string;
  readonly notes: string;
}

// Checked against catalog/schema by test/catalog.
export const nodeStarts = table.machines as readonly NodeStart[];

/** Seconds until a pool has another node of a machine. 0 for existing machines, which are not created on demand. */
export function nodeStartSeconds({ provider, name }: Pick<MachineShape, "provider" | "name">): number {
  const bareMetal = isOciBareMetal({ name }) || name.includes(".metal");
  return nodeStarts.find((row) => row.provider === provider && row.bareMetal === bareMetal)?.seconds ?? 0;
}
