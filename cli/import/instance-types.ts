/** Cloud machines by the names of node labels and KAITO. */
import { cards, findShape } from "../../catalog/shapes";
import azure from "./azure-machines.json";
import { rowOf } from "./path";

export interface InstanceType {
  readonly shape?: string;
  readonly card?: string;
  readonly gpus: number;
}

/** @returns undefined for an unknown machine. */
export function instanceType(name: string): InstanceType | undefined {
  const machine = rowOf<{ readonly card: string; readonly gpus: number }>(azure.machines, name);
  if (machine !== undefined) {
    return machine;
  }
  const shape = findShape(name);
  if (shape === undefined) {
    return undefined;
  }
  const card = cards.find(({ gpu }) => gpu === shape.gpu?.model)?.name;
  return { shape: name, gpus: shape.gpu?.count ?? 0, ...(card !== undefined && { card }) };
}
