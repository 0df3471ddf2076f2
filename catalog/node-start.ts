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

/** 0 for existing machines. */
export function nodeStartSeconds({ provider, name }: Pick<MachineShape, "provider" | "name">): number {
  const bareMetal = isOciBareMetal({ name }) || name.includes(".metal");
  return nodeStarts.find((row) => row.provider === provider && row.bareMetal === bareMetal)?.seconds ?? 0;
}
