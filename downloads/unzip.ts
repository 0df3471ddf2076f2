/** Zip archives in memory, as from Go proxies: unencrypted, single-file, below 4 GiB. Pure. */
import { inflateRawSync } from "node:zlib";

const END = 0x06054b50;
const END_BYTES = 22;
const MOST_COMMENT = 0xffff;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;

/** Go's limit for a module archive and its files (MaxZipFile of golang.org/x/mod/zip). */
const MOST_BYTES = 500 * 2 ** 20;

const STORED = 0;
const DEFLATED = 8;

export interface ZipEntry {
  readonly path: string;
  readonly content: Buffer;
}

/**
 * Files of an archive in directory order, without folders.
 *
 * @throws Error for an unsupported or damaged archive, or above 500 MiB of files.
 */
export function* zipEntries(archive: Buffer): Generator<ZipEntry> {
  const listed = directoryOf(archive);
  const bytes = listed.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MOST_BYTES) {
    throw new Error(`its zip archive states ${Math.ceil(bytes / 2 ** 20)} MiB of files, and 500 MiB are allowed`);
  }
  for (const entry of listed) {
    if (!entry.path.endsWith("/")) {
      yield { path: entry.path, content: contentOf(archive, entry) };
    }
  }
}

/** Directory entry. */
interface Listed {
  readonly path: string;
  readonly method: number;
  readonly packedSize: number;
  /** Stated file size in bytes. */
  readonly size: number;
  /** Offset of its local header. */
  readonly local: number;
}

function directoryOf(archive: Buffer): Listed[] {
  const end = endOf(archive);
  const count = archive.readUInt16LE(end + 10);
  const listed: Listed[] = [];
  let at = archive.readUInt32LE(end + 16);
  for (let index = 0; index < count; index += 1) {
    expectSignature(archive, at, ENTRY);
    const nameLength = archive.readUInt16LE(at + 28);
    listed.push({
      path: archive.toString("utf8", at + ENTRY_BYTES, at + ENTRY_BYTES + nameLength),
      method: archive.readUInt16LE(at + 10),
      packedSize: archive.readUInt32LE(at + 20),
      size: archive.readUInt32LE(at + 24),
      local: archive.readUInt32LE(at + 42),
    });
    at += ENTRY_BYTES + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return listed;
}

/** Offset of the end record, followed at most by a comment. */
function endOf(archive: Buffer): number {
  const first = Math.max(0, archive.length - END_BYTES - MOST_COMMENT);
  for (let at = archive.length - END_BYTES; at >= first; at -= 1) {
    if (archive.readUInt32LE(at) === END) {
      return at;
    }
  }
  throw new Error("it is no zip archive, or is cut off");
}

function contentOf(archive: Buffer, { method, packedSize, size, local }: Listed): Buffer {
  expectSignature(archive, local, LOCAL);
  const start = local + LOCAL_BYTES + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const packed = archive.subarray(start, start + packedSize);
  const content = unpacked(packed, method, size);
  if (content.length !== size) {
    throw new Error("its zip archive is damaged: a file has another size than it states");
  }
  return content;
}

function unpacked(packed: Buffer, method: number, size: number): Buffer {
  if (method === STORED) {
    return packed;
  }
  if (method !== DEFLATED) {
    throw new Error(`its zip archive packs files by method ${method}, which is not read here`);
  }
  // Limits output to the stated size, whose sum is limited: prevents zip bombs.
  return inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) });
}

function expectSignature(archive: Buffer, at: number, signature: number): void {
  if (at + 4 > archive.length || archive.readUInt32LE(at) !== signature) {
    throw new Error("its zip archive is damaged");
  }
}
