import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { BLOCK, paddingOf, readTarHeader } from "./tar";
import { write } from "./write";

/**
 * Extracts a file of a `.tar.gz`, without loading the archive into memory.
 *
 * @param member archive path without a leading "./".
 * @throws Error for a missing file or a truncated or invalid archive.
 */
export async function extractFile(archive: string, member: string, target: string): Promise<void> {
  const file = createReadStream(archive);
  const closed = new Promise<void>((resolve) => file.once("close", () => resolve()));
  // Errors of the file reach the unpacked stream, whose iteration throws them.
  const unpacked = pipeline(file, createGunzip(), () => {});
  try {
    await writeMember(new Bytes(unpacked), member, target);
  } finally {
    unpacked.destroy();
    file.destroy();
    await closed;
  }
}

async function writeMember(bytes: Bytes, member: string, target: string): Promise<void> {
  for (let header = await bytes.block(); header !== undefined && header[0] !== 0; header = await bytes.block()) {
    const { path, size, isFile } = readTarHeader(header);
    if (isFile && path.replace(/^\.\//, "") === member) {
      await write(bytes.next(size), target);
      return;
    }
    await bytes.skip(size + paddingOf(size).length);
  }
  throw new Error(`it has no file ${member}`);
}

class Bytes {
  private readonly chunks: AsyncIterator<Buffer>;
  private rest: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Buffer>) {
    this.chunks = stream[Symbol.asyncIterator]();
  }

  /** Next header; undefined at the end. */
  async block(): Promise<Buffer | undefined> {
    const pieces: Buffer[] = [];
    if (this.rest.length === 0 && !(await this.refill())) {
      return undefined;
    }
    for await (const piece of this.next(BLOCK)) {
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }

  /**
   * The given number of bytes.
   * @throws Error if the stream ends early.
   */
  async *next(count: number): AsyncGenerator<Buffer> {
    for (let missing = count; missing > 0; ) {
      if (this.rest.length === 0 && !(await this.refill())) {
        throw new Error("it is cut off");
      }
      const piece = this.rest.subarray(0, missing);
      this.rest = this.rest.subarray(piece.length);
      missing -= piece.length;
      yield piece;
    }
  }

  async skip(count: number): Promise<void> {
    const pieces = this.next(count);
    while (!(await pieces.next()).done) {
      // Only read.
    }
  }

  private async refill(): Promise<boolean> {
    const { value, done } = await this.chunks.next();
    this.rest = done ? Buffer.alloc(0) : value;
    return !done;
  }
}
