import type { ModelArchitecture, StoredCheckpoint } from "../architecture";
import type { Checkpoint } from "./checkpoint";
import { differences } from "./differences";
import { evenInventory, type StoredInventory, storedInventory } from "./inventory";
import type { CheckpointLayout } from "./layout";
import type { StoredTensor } from "./safetensors-header";
import { bytesByType } from "./stored-values";

/** For families with a reader: the files only check it. */
export function checkedByFiles(architecture: ModelArchitecture, checkpoint: Checkpoint): ModelArchitecture {
  return { ...architecture, checkpoint: { ...sizes(checkpoint), notes: differences(architecture, checkpoint) } };
}

/**
 * For families without a reader: the files are the weights.
 * @param architecture from storedFamilyReader: without tensors
 */
export function countedFromFiles(
  architecture: ModelArchitecture,
  checkpoint: Checkpoint,
  layout: CheckpointLayout,
): ModelArchitecture {
  const predictsTokens = architecture.multiTokenPrediction !== undefined;
  const inventory =
    checkpoint.from === "index"
      ? { tensors: evenInventory(architecture, checkpoint), unrecognized: [] }
      : storedInventory(layout, { ...architecture, predictsTokens });
  const headless = !layout.tensors.some(({ place }) => place.at === "head");
  return {
    ...architecture,
    // without its own head, a pipeline's last stage holds the token table too
    tieEmbeddings: architecture.tieEmbeddings || headless,
    ...(layout.tensors.some(({ place }) => place.at === "tower") && { vision: emptyTower }),
    checkpoint: {
      ...sizes(checkpoint),
      inventory: inventory.tensors,
      notes: [...originNotes(architecture, checkpoint), ...unrecognizedNotes(inventory)],
    },
  };
}

/** Marks its presence; tensors are in the inventory. */
const emptyTower = { layers: 0, hiddenSize: 0, tensors: [], replicated: true, stackedLayers: 0 } as const;

function sizes({ from, fileBytes, files, tensors }: Checkpoint): Omit<StoredCheckpoint, "inventory" | "notes"> {
  return { from, fileBytes, files, bytesByType: Object.fromEntries(bytesByType(tensors)) };
}

function originNotes({ family, cacheDoubt }: ModelArchitecture, { from, tensors }: Checkpoint): readonly string[] {
  if (from === "index") {
    return [
      `no reader knows the model type ${family}, and of its weights there is the index alone: their size in all is exact, their number of parameters and every share of a GPU are estimates (an even split over layers and GPUs); with the weight files next to it, each tensor is counted`,
    ];
  }
  const weights = `no reader knows the model type ${family}: its weights are the ${tensors.length} tensors of its files, cut over GPUs as vLLM cuts projections of their names; whether vLLM serves it was not checked`;
  const cache =
    "its KV cache is derived: every layer has keys and values of the shape that config.json states, and each is counted for every token, without windows";
  return cacheDoubt === undefined ? [weights, cache] : [weights];
}

function unrecognizedNotes({ unrecognized }: StoredInventory): readonly string[] {
  if (unrecognized.length === 0) {
    return [];
  }
  const gigabytes = (unrecognized.reduce((sum, { bytes }) => sum + bytes, 0) / 1e9).toFixed(2);
  const names = [...new Set(unrecognized.map(withoutNumbers))];
  const shown = names.slice(0, 3).join(", ") + (names.length > 3 ? ` and ${names.length - 3} more` : "");
  return [
    `${unrecognized.length} matrices (${gigabytes} GB) have names that no convention knows (${shown}): they count whole on every tensor-parallel GPU`,
  ];
}

function withoutNumbers({ name }: StoredTensor): string {
  return name.replace(/\.\d+\./g, ".*.");
}
