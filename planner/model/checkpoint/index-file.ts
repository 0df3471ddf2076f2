/** model.safetensors.index.json: file of each tensor, and total size. */
import { CheckpointError } from "./errors";
import { JsonScanner } from "./json-scanner";
import { checkedName, MAX_TENSORS } from "./safetensors-header";

export const INDEX_FILE = "model.safetensors.index.json";

/** A million tensors with names of a hundred characters. */
export const MAX_INDEX_BYTES = 200_000_000;

/** Published checkpoints have up to some 200 files. */
const MAX_FILES = 10_000;

export interface CheckpointIndex {
  readonly fileOf: ReadonlyMap<string, string>;
  /** Unique. */
  readonly files: readonly string[];
  /** `metadata.total_size`, where stated. */
  readonly totalBytes?: number;
}

/** @throws CheckpointError */
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

/** Files are next to the index: other paths are refused. */
function checkedFile(file: string, known: number, fail: (reason: string) => never): string {
  if (known >= MAX_FILES) {
    fail(`names more than ${MAX_FILES} files`);
  }
  if (!/^[A-Za-z0-9_][A-Za-z0-9._-]*\.safetensors$/.test(file)) {
    fail(`names the file ${JSON.stringify(file)}; write a name.safetensors of the same folder`);
  }
  return file;
}
