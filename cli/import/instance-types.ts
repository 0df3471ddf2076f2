/** Machines of clouds by the names that node labels and KAITO give them. */
import { cards, findShape } from "../../catalog/shapes";
import azure from "./azure-machines.json";
import { rowOf } from "./path";

/** GPUs of a machine. */
export interface InstanceType {
  /** Of the catalogue. */
  readonly shape?: string;
  readonly card?: string;
  readonly gpus: number;
}

/** @returns undefined for a machine that is not known here. */
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
