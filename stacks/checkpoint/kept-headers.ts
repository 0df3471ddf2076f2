/** Headers of weight files: kept by `npm run pin`, so that plans count every tensor offline. */
import { gunzipSync, gzipSync } from "node:zlib";
import { z } from "zod";
import { CheckpointError } from "../../planner/model/checkpoint/errors";
import { LENGTH_BYTES } from "../../planner/model/checkpoint/safetensors-header";
import type { CheckpointFiles, FilePart } from "./files";

/** Next to a kept config.json. */
export const KEPT_HEADERS = "headers.json.gz";

/** The largest published checkpoints have 40 MB of headers. */
const MAX_BYTES = 400_000_000;

/** A weight file's total size and header. */
export interface KeptHeader {
  readonly name: string;
  readonly bytes: number;
  readonly header: string;
}

const keptSchema = z.array(
  z.strictObject({
    name: z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9._-]*\.safetensors$/),
    bytes: z.int().min(0),
    header: z.string(),
  }),
);

export function packHeaders(headers: readonly KeptHeader[]): Uint8Array {
  return gzipSync(JSON.stringify(headers), { level: 9 });
}

/**
 * The weight files of a kept file, as if their headers were in the folder.
 * @throws CheckpointError for a truncated or other file
 */
export function keptFiles(packed: Uint8Array): CheckpointFiles {
  const files = new Map(unpack(packed).map(({ name, bytes, header }) => [name, { bytes, start: startOf(header) }]));
  return {
    list: () => Promise.resolve([...files.keys()]),
    text: () => Promise.resolve(undefined),
    part: (name, begin, length): Promise<FilePart | undefined> => {
      const file = files.get(name);
      return Promise.resolve(file && { bytes: file.start.subarray(begin, begin + length), fileBytes: file.bytes });
    },
  };
}

function unpack(packed: Uint8Array): readonly KeptHeader[] {
  try {
    const text = gunzipSync(packed, { maxOutputLength: MAX_BYTES }).toString("utf8");
    return keptSchema.parse(JSON.parse(text));
  } catch {
    throw new CheckpointError(KEPT_HEADERS, "is cut off, or holds something else than headers of weight files");
  }
}

/** Header length and header. */
function startOf(header: string): Uint8Array {
  const text = new TextEncoder().encode(header);
  const start = new Uint8Array(LENGTH_BYTES + text.length);
  new DataView(start.buffer).setBigUint64(0, BigInt(text.length), true);
  start.set(text, LENGTH_BYTES);
  return start;
}
