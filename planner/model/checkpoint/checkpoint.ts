/** A checkpoint from its files: every tensor, or from an index names and total size. */
import { CheckpointError } from "./errors";
import { type CheckpointIndex, INDEX_FILE } from "./index-file";
import { MAX_TENSORS, type StoredTensor } from "./safetensors-header";

export interface FileTensors {
  readonly name: string;
  /** Whole file, with header. */
  readonly bytes: number;
  readonly tensors: readonly StoredTensor[];
}

export interface Checkpoint {
  /** Source; an index has only names and total size. */
  readonly from: "headers" | "index";
  /** Bytes to download, store and read; from an index, those of the tensors. */
  readonly fileBytes: number;
  readonly files: number;
  readonly tensorBytes: number;
  /** Empty from an index. */
  readonly tensors: readonly StoredTensor[];
}

/** From an index without files; undefined where it has no size. */
export function fromIndex({ files, totalBytes }: CheckpointIndex): Checkpoint | undefined {
  if (totalBytes === undefined) {
    return undefined;
  }
  return { from: "index", fileBytes: totalBytes, files: files.length, tensorBytes: totalBytes, tensors: [] };
}

/**
 * @param index must list the same tensors, where present
 * @throws CheckpointError for a missing, extra or duplicate tensor
 */
export function joinFiles(files: readonly FileTensors[], index?: CheckpointIndex): Checkpoint {
  const fileOf = new Map<string, string>();
  for (const { name: file, tensors } of files) {
    for (const { name } of tensors) {
      const other = fileOf.get(name);
      if (other !== undefined) {
        throw new CheckpointError(file, `has tensor ${JSON.stringify(name)}, which ${other} has too`);
      }
      fileOf.set(name, file);
    }
    if (fileOf.size > MAX_TENSORS) {
      throw new CheckpointError(file, `makes it more than ${MAX_TENSORS} tensors`);
    }
  }
  for (const [name, file] of index?.fileOf ?? []) {
    if (fileOf.get(name) !== file) {
      throw new CheckpointError(file, `has no tensor ${JSON.stringify(name)}, which ${INDEX_FILE} says it has`);
    }
  }
  const tensors = files.flatMap(({ tensors: each }) => each);
  if (tensors.length === 0) {
    throw new CheckpointError(files[0]?.name ?? "the checkpoint", "has no tensors");
  }
  return {
    from: "headers",
    fileBytes: files.reduce((total, { bytes }) => total + bytes, 0),
    files: files.length,
    tensorBytes: tensors.reduce((total, { bytes }) => total + bytes, 0),
    tensors,
  };
}
