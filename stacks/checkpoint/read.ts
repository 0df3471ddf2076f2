/** Reads a checkpoint's headers and index, never weights. */
import { type Checkpoint, type FileTensors, fromIndex, joinFiles } from "../../planner/model/checkpoint/checkpoint";
import { CheckpointError } from "../../planner/model/checkpoint/errors";
import { INDEX_FILE, MAX_INDEX_BYTES, parseCheckpointIndex } from "../../planner/model/checkpoint/index-file";
import {
  headerBytes,
  isLfsPointer,
  LENGTH_BYTES,
  parseSafetensorsHeader,
} from "../../planner/model/checkpoint/safetensors-header";
import { concurrently } from "./concurrently";
import type { CheckpointFiles } from "./files";

const CONCURRENCY = 8;
/** All files together: the largest published checkpoints have some 40 MB. */
const MAX_HEADERS_BYTES = 400_000_000;
const ONLY_FILE = "model.safetensors";

/**
 * By its index where files are missing; undefined without either.
 * @throws CheckpointError for an unreadable or malformed file
 */
export async function readCheckpoint(files: CheckpointFiles): Promise<Checkpoint | undefined> {
  const text = await files.text(INDEX_FILE, MAX_INDEX_BYTES);
  const index = text === undefined ? undefined : parseCheckpointIndex(text);
  const names = index?.files ?? (await weightFiles(files));
  const headers = await readHeaders(files, names);
  const found = headers.filter((header) => header !== undefined);
  if (index !== undefined && found.length < names.length) {
    return fromIndex(index);
  }
  return found.length === 0 ? undefined : joinFiles(found, index);
}

/**
 * Without an index: the one file, or all listed weight files. Mistral's own format (consolidated*)
 * repeats the weights.
 */
async function weightFiles(files: CheckpointFiles): Promise<readonly string[]> {
  const listed = (await files.list?.())?.filter((name) => name.endsWith(".safetensors"));
  if (listed === undefined || listed.includes(ONLY_FILE)) {
    return [ONLY_FILE];
  }
  const own = listed.filter((name) => !name.startsWith("consolidated"));
  return (own.length > 0 ? own : listed).sort();
}

async function readHeaders(
  files: CheckpointFiles,
  names: readonly string[],
): Promise<readonly (FileTensors | undefined)[]> {
  let budget = MAX_HEADERS_BYTES;
  const spend = (bytes: number, name: string) => {
    budget -= bytes;
    if (budget < 0) {
      throw new CheckpointError(name, `makes all headers larger than ${MAX_HEADERS_BYTES} bytes`);
    }
  };
  return concurrently(CONCURRENCY, names, (name) => readHeader(files, name, spend));
}

async function readHeader(
  files: CheckpointFiles,
  name: string,
  spend: (bytes: number, name: string) => void,
): Promise<FileTensors | undefined> {
  const start = await files.part(name, 0, LENGTH_BYTES);
  if (start === undefined) {
    return undefined;
  }
  if (isLfsPointer(start.bytes)) {
    return undefined;
  }
  const file = { name, bytes: start.fileBytes };
  const length = headerBytes(start.bytes, file);
  spend(length, name);
  const header = await files.part(name, LENGTH_BYTES, length);
  if (header?.bytes.length !== length) {
    throw new CheckpointError(name, "changed while it was read");
  }
  return { name, bytes: file.bytes, tensors: parseSafetensorsHeader(header.bytes, file) };
}
