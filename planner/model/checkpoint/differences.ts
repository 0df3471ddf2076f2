/** Differences between a checkpoint's files and the family reader's view of config.json. */
import type { ModelArchitecture } from "../architecture";
import { weightBytes } from "../parameters";
import { type ModelTensor, tensorInventory } from "../tensors";
import type { Checkpoint } from "./checkpoint";
import { layoutOf } from "./layout";
import type { StoredTensor } from "./safetensors-header";
import { isPlainMatrix } from "./stored-values";

/** Files carry buffers (rotary_emb.inv_freq, position_ids): more than in any model. */
const TOLERANCE = 0.001;

const MOST_SHOWN = 3;

/** One warning with both figures and the first different tensors; empty where they agree. */
export function differences(
  architecture: ModelArchitecture,
  { tensors, tensorBytes: stored }: Checkpoint,
): readonly string[] {
  const { checkpointBytes: stated, servedBytes } = weightBytes(architecture);
  // copies of a model often lack its layers for multi-token prediction
  if ([stated, servedBytes].some((bytes) => Math.abs(stored - bytes) <= TOLERANCE * stored)) {
    return [];
  }
  const others = differingShapes(tensorInventory(architecture), tensors);
  const which = others.length === 0 ? "" : `; ${others.slice(0, MOST_SHOWN).join("; ")}`;
  const more = others.length > MOST_SHOWN ? `; ${others.length - MOST_SHOWN} more differ` : "";
  return [
    `the files hold ${sizeText(stored)} of tensors, and config.json states ${sizeText(stated)}: check that they belong together; the plan counts by config.json${which}${more}`,
  ];
}

function differingShapes(inventory: readonly ModelTensor[], tensors: readonly StoredTensor[]): readonly string[] {
  const expected = new Map(inventory.map((tensor) => [commonName(tensor.module), tensor]));
  return layoutOf(tensors).tensors.flatMap(({ tensor, place }) => {
    if (place.at !== "layer" && place.at !== "embedding") {
      return [];
    }
    const [rows = 1, ...rest] = tensor.shape;
    const columns = rest.reduce((product, size) => product * size, 1);
    const stated = tensor.name.endsWith(".weight") ? expected.get(commonName(tensor.name)) : undefined;
    if (stated === undefined || !isPlainMatrix(tensor)) {
      return [];
    }
    if (stated.rows === rows && stated.columns === columns) {
      return [];
    }
    // a matrix may be transposed (Conv1D of GPT-2)
    if (stated.rows === columns && stated.columns === rows) {
      return [];
    }
    return [
      `${tensor.name} is ${rows} × ${columns} in the files and ${stated.rows} × ${stated.columns} by config.json`,
    ];
  });
}

/** Common part of two spellings: the layer and what follows, or the last part. */
function commonName(name: string): string {
  const path = name.replace(/\.weight$/, "").replace(/\.experts\.\d+\./, ".experts.0.");
  return /(?:^|\.)(\d+\..+)$/.exec(path)?.[1] ?? path.slice(path.lastIndexOf(".") + 1);
}

function sizeText(bytes: number): string {
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(3)} MB` : `${(bytes / 1e9).toFixed(3)} GB`;
}
