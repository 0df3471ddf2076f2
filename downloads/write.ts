import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";

/**
 * Writes what a source gives. Ends, well or not, when the file is closed: opened later, it would come back into a folder
 * that is being deleted.
 *
 * @throws whatever the source throws, or the file system.
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
