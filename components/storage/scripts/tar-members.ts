/** Members of a tar archive as it streams: ustar, pax and GNU names, sizes of any length. */
import { buffer } from "node:stream/consumers";
import { FinalError } from "./retry.ts";

const BLOCK = 512;
/** Of a long name, or of extended headers: published ones have some hundred bytes. */
const MOST_HEADER_BYTES = 2 ** 20;

export interface TarMember {
  /** As it is written. */
  readonly path: string;
  readonly kind: "file" | "folder" | "link" | "device";
  /** Bytes. */
  readonly size: number;
  /** Of its content, from the start of the archive. */
  readonly offset: number;
  /** Read it before the next member. */
  readonly content: AsyncIterable<Uint8Array>;
}

const KINDS: Readonly<Record<string, TarMember["kind"]>> = {
  "\0": "file",
  "0": "file",
  "7": "file",
  "1": "link",
  "2": "link",
  "3": "device",
  "4": "device",
  "5": "folder",
  "6": "device",
};

/**
 * Every member, and then the archive to its end.
 * @throws FinalError for what is no archive, is cut off, or has members that cannot be read here.
 */
export async function* tarMembers(archive: AsyncIterable<Uint8Array>): AsyncGenerator<TarMember> {
  const bytes = new ByteReader(archive);
  try {
    yield* membersIn(bytes);
    // A hash of the stream is of all its bytes.
    await bytes.end();
  } finally {
    await bytes.close();
  }
}

async function* membersIn(bytes: ByteReader): AsyncGenerator<TarMember> {
  let named: Named = {};
  for (let header = await bytes.block(); header?.some((byte) => byte !== 0); header = await bytes.block()) {
    checkSum(header);
    const type = String.fromCharCode(header[156] ?? 0);
    const stated = sizeOf(header);
    if (EXTENDED.includes(type)) {
      named = { ...named, ...namedIn(type, await bytes.extended(stated)) };
      continue;
    }
    const { path = nameOf(header), size = stated } = named;
    named = {};
    const kind = KINDS[type];
    if (kind === undefined) {
      throw new FinalError(
        `${JSON.stringify(path)} is a member of type ${JSON.stringify(type)}, which is not supported`,
      );
    }
    const length = kind === "file" ? size : 0;
    const offset = bytes.read;
    yield { path, kind, size: length, offset, content: bytes.next(length) };
    await bytes.skip(offset + length + padding(length) - bytes.read);
  }
}

/** Of the member that follows: pax (x, for all that follow g), long names and long targets of links of GNU (L, K). */
const EXTENDED = ["x", "g", "L", "K"];

interface Named {
  readonly path?: string;
  readonly size?: number;
}

function namedIn(type: string, content: Buffer): Named {
  if (type === "L") {
    return { path: field(content, 0, content.length) };
  }
  return type === "x" ? ofPax(content) : {};
}

function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

function checkSum(header: Buffer): void {
  const stated = Number.parseInt(field(header, 148, 156).trim(), 8);
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  if (sum !== stated) {
    throw new FinalError("it is no tar archive, or damaged");
  }
}

function nameOf(header: Buffer): string {
  const name = field(header, 0, 100);
  // GNU's own format has times where ustar has the rest of a name.
  const prefix = header.toString("latin1", 257, 263) === "ustar\0" ? field(header, 345, 500) : "";
  return prefix === "" ? name : `${prefix}/${name}`;
}

function sizeOf(header: Buffer): number {
  const isBinary = ((header[124] ?? 0) & 0x80) !== 0;
  const size = isBinary
    ? Number(header.readBigUInt64BE(128))
    : Number.parseInt(field(header, 124, 136).trim() || "0", 8);
  if (!Number.isSafeInteger(size) || size < 0) {
    throw new FinalError("it is no tar archive, or damaged: a member has no size");
  }
  return size;
}

/** Records `<length> <key>=<value>\n` (POSIX, pax). */
function ofPax(buffer: Buffer): Named {
  const found: { path?: string; size?: number } = {};
  for (let at = 0; at < buffer.length; ) {
    const [, length = ""] = /^(\d{1,7}) /.exec(buffer.toString("latin1", at, at + 8)) ?? [];
    const record = buffer.toString("utf8", at + length.length + 1, at + Number(length));
    const [, key = "", value = ""] = /^([^=]+)=(.*)\n$/s.exec(record) ?? [];
    if (key === "" || key.startsWith("GNU.sparse.")) {
      throw new FinalError(
        key === "" ? "it has a damaged extended header" : "it has sparse files, which are not supported",
      );
    }
    if (key === "path") {
      found.path = value;
    } else if (key === "size") {
      found.size = Number(value);
      if (!/^\d+$/.test(value) || !Number.isSafeInteger(found.size)) {
        throw new FinalError("it has a damaged extended header");
      }
    }
    at += Number(length);
  }
  return found;
}

function field(header: Buffer, from: number, to: number): string {
  const bytes = header.subarray(from, to);
  const end = bytes.indexOf(0);
  return bytes.toString("utf8", 0, end < 0 ? bytes.length : end);
}

/** Takes counted bytes from a stream. */
export class ByteReader {
  /** Bytes taken until now. */
  read = 0;
  private readonly chunks: AsyncIterator<Uint8Array>;
  private rest: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.chunks = stream[Symbol.asyncIterator]();
  }

  /** @returns undefined at the end. @throws FinalError for a part of a block. */
  async block(): Promise<Buffer | undefined> {
    return this.rest.length === 0 && !(await this.refill()) ? undefined : buffer(this.next(BLOCK));
  }

  /** Content of an extended header. @throws FinalError for more than a name can need. */
  async extended(count: number): Promise<Buffer> {
    if (count > MOST_HEADER_BYTES) {
      throw new FinalError(`an extended header has ${count} bytes; allowed are ${MOST_HEADER_BYTES}`);
    }
    const content = await buffer(this.next(count));
    await this.skip(padding(count));
    return content;
  }

  /** @throws FinalError when the stream ends before. */
  async *next(count: number): AsyncGenerator<Buffer> {
    for (let missing = count; missing > 0; ) {
      if (this.rest.length === 0 && !(await this.refill())) {
        throw new FinalError("it is cut off");
      }
      const piece = this.rest.subarray(0, missing);
      this.rest = this.rest.subarray(piece.length);
      this.read += piece.length;
      missing -= piece.length;
      yield piece;
    }
  }

  async skip(count: number): Promise<void> {
    for await (const _ of this.next(count)) {
      // Only read.
    }
  }

  /** Reads what is left. */
  async end(): Promise<void> {
    while (await this.refill()) {
      // Only read.
    }
  }

  /** Ends the stream early. */
  async close(): Promise<void> {
    await this.chunks.return?.();
  }

  private async refill(): Promise<boolean> {
    for (let next = await this.chunks.next(); !next.done; next = await this.chunks.next()) {
      if (next.value.byteLength > 0) {
        this.rest = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
        return true;
      }
    }
    this.rest = Buffer.alloc(0);
    return false;
  }
}
