import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";

/**
 * Writes a source to a file. Settles only after the file is closed: a late open could recreate it
 * in a folder being deleted.
 *
 * @throws errors of the source or file system.
 */
export async function write(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  path: string,
  flags: "a" | "w" = "w",
): Promise<void> {
  const file = createWriteStream(path, { flags, highWaterMark: 2 ** 21 });
  const closed = new Promise<void>((resolve) => file.once("close", () => resolve()));
  try {
    await pipeline(source, file);
  } finally {
    await closed;
  }
}
