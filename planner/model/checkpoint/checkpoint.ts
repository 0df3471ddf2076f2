/** A checkpoint as its files tell of it: every tensor, or with an index alone their names and their size in all. */
import { CheckpointError } from "./errors";
import { type CheckpointIndex, INDEX_FILE } from "./index-file";
import { MAX_TENSORS, type StoredTensor } from "./safetensors-header";

/** What the header of one file says. */
export interface FileTensors {
  readonly name: string;
  /** Of the whole file, the header among them. */
  readonly bytes: number;
  readonly tensors: readonly StoredTensor[];
}

export interface Checkpoint {
  /** Where it is known from. An index alone tells names and the size of all tensors together. */
  readonly from: "headers" | "index";
  /** Bytes of the weight files: what is downloaded, stored and read. With an index alone those of the tensors. */
  readonly fileBytes: number;
  /** Files that hold weights. */
  readonly files: number;
  /** Bytes of all tensors. */
  readonly tensorBytes: number;
  /** Empty with an index alone. */
  readonly tensors: readonly StoredTensor[];
}

/** The checkpoint of an index whose files are not at hand; undefined where it does not state their size. */
export function fromIndex({ files, totalBytes }: CheckpointIndex): Checkpoint | undefined {
  if (totalBytes === undefined) {
    return undefined;
  }
  return { from: "index", fileBytes: totalBytes, files: files.length, tensorBytes: totalBytes, tensors: [] };
}

/**
 * The checkpoint of these files.
 * @param index the one beside them, where there is one: it must tell of the same tensors
 * @throws CheckpointError for a tensor that is missing, too many, or in two files
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
