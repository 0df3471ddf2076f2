/** model.safetensors.index.json: which file of a checkpoint holds which tensor, and how large all of them are. */
import { CheckpointError } from "./errors";
import { JsonScanner } from "./json-scanner";
import { checkedName, MAX_TENSORS } from "./safetensors-header";

export const INDEX_FILE = "model.safetensors.index.json";

/** A million tensors with names of a hundred characters. */
export const MAX_INDEX_BYTES = 200_000_000;

/** More files than any published checkpoint has; some have 200. */
const MAX_FILES = 10_000;

export interface CheckpointIndex {
  /** File of each tensor, by its name. */
  readonly fileOf: ReadonlyMap<string, string>;
  /** Names of the files, each once. */
  readonly files: readonly string[];
  /** Bytes of all tensors (`metadata.total_size`), where it is stated. */
  readonly totalBytes?: number;
}

/**
 * Reads the text of an index.
 * @throws CheckpointError
 */
export function parseCheckpointIndex(text: string, name = INDEX_FILE): CheckpointIndex {
  const fail = (reason: string): never => {
    throw new CheckpointError(name, reason);
  };
  const scanner = new JsonScanner(text, fail);
  const fileOf = new Map<string, string>();
  const files = new Set<string>();
  let totalBytes: number | undefined;
  scanner.object(16, (key) => {
    if (key === "weight_map") {
      scanner.object(MAX_TENSORS, (tensor) => {
        const file = scanner.string(256);
        if (!files.has(file)) {
          files.add(checkedFile(file, files.size, fail));
        }
        fileOf.set(checkedName(tensor, fail), file);
      });
    } else if (key === "metadata") {
      scanner.object(64, (field) => {
        if (field === "total_size" && scanner.startsNumber()) {
          totalBytes = scanner.wholeNumber();
        } else {
          scanner.skip();
        }
      });
    } else {
      scanner.skip();
    }
  });
  scanner.end();
  if (fileOf.size === 0) {
    fail("has no weight_map that names a tensor");
  }
  return { fileOf, files: [...files].sort(), ...(totalBytes !== undefined && { totalBytes }) };
}

/** Files stand beside the index: a name that leads elsewhere would be read from there. */
function checkedFile(file: string, known: number, fail: (reason: string) => never): string {
  if (known >= MAX_FILES) {
    fail(`names more than ${MAX_FILES} files`);
  }
  if (!/^[A-Za-z0-9_][A-Za-z0-9._-]*\.safetensors$/.test(file)) {
    fail(`names the file ${JSON.stringify(file)}; a name.safetensors beside it is allowed`);
  }
  return file;
}
