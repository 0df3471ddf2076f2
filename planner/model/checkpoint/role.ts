/** Projection of a layer's tensor by name, and how vLLM splits it. */

import type { PlacedTensor } from "./layout";
import conventions from "./name-conventions.json";

export type Cut = "rows" | "heads" | "headsAndQueries" | "columns" | "whole";

export interface TensorRole {
  /** Undefined for unknown names. */
  readonly projection?: string;
  readonly cut: Cut;
  /** "weight", "bias", "scales", "qweight" and so on. */
  readonly parameter: string;
  /** Of routed experts: one by number, or all in one tensor. */
  readonly experts?: "one" | "all";
  /** Parameter that vLLM fuses it into. */
  readonly fusedInto: string;
}

const CUTS: readonly Cut[] = ["rows", "heads", "headsAndQueries", "columns", "whole"];

const cutByName = new Map<string, Cut>(
  CUTS.flatMap((cut) => conventions[cut].map((name): [string, Cut] => [name, cut])),
);

/** Experts in one tensor append the parameter to their name: gate_up_proj_blocks. */
const FUSED_SUFFIX = /_(blocks|scales|bias|scale_inv|scale|packed)$/;

/** By the last known part of its name. */
export function roleOf({ path, tensor }: PlacedTensor): TensorRole {
  for (let at = path.length - 1; at >= 0; at -= 1) {
    const part = path[at] ?? "";
    const projection = part.replace(FUSED_SUFFIX, "");
    const cut = cutByName.get(projection);
    if (cut === undefined) {
      continue;
    }
    const parameter = FUSED_SUFFIX.exec(part)?.[1] ?? path.slice(at + 1).join(".");
    return {
      projection,
      cut,
      parameter,
      ...expertsOf(path, at),
      fusedInto: fusedInto(path, at, projection, parameter),
    };
  }
  return { cut: "whole", parameter: path.at(-1) ?? "", fusedInto: tensor.name };
}

function expertsOf(path: readonly string[], projectionAt: number): Pick<TensorRole, "experts"> {
  const at = path.indexOf("experts");
  if (at < 0 || at > projectionAt) {
    return {};
  }
  return { experts: /^\d+$/.test(path[at + 1] ?? "") ? "one" : "all" };
}

function fusedInto(path: readonly string[], at: number, projection: string, parameter: string): string {
  const [name] = Object.entries(conventions.fused).find(([, parts]) => parts.includes(projection)) ?? [projection];
  // expert numbers do not distinguish parameters: all experts of a layer become one
  const owner = path
    .slice(0, at)
    .join(".")
    .replace(/\.experts\.\d+$/, ".experts");
  return `${owner}.${name}.${parameter}`;
}
