/** Tar archives for container tools: ustar headers, base-256 sizes above 8 GiB. Pure. */

/** Header size; content is padded to a multiple. */
export const BLOCK = 512;
/** Eleven octal digits. */
const LARGEST_OCTAL = 8 ** 11 - 1;

/** Padding of a file's last block. */
export function paddingOf(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

export const TAR_END = Buffer.alloc(2 * BLOCK);

/**
 * Header of a file, without time, owner or mode, so that archives are reproducible.
 *
 * @param path up to 100 bytes.
 * @throws Error for a longer path.
 */
export function tarHeader(path: string, size: number): Buffer {
  if (Buffer.byteLength(path) > 100) {
    throw new Error(`"${path}" is too long for a header of tar`);
  }
  const header = Buffer.alloc(BLOCK);
  header.write(path, 0);
  header.write("0000644\0", 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  writeSize(header, size);
  header.write("00000000000\0", 136);
  header.write("        ", 148);
  header.write("0", 156);
  header.write("ustar\x0000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

function writeSize(header: Buffer, size: number): void {
  if (size <= LARGEST_OCTAL) {
    header.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
    return;
  }
  header.writeUInt8(0x80, 124);
  header.writeBigUInt64BE(BigInt(size), 128);
}

export interface TarEntry {
  readonly path: string;
  readonly content: Buffer;
}

/**
 * Files of an archive in memory, or of its start, without a truncated one.
 *
 * Supports what the platform reads: image archive indexes, Chart.yaml files. Ignores long names in
 * extended headers (pax, GNU).
 */
export function tarEntries(archive: Buffer): TarEntry[] {
  const entries: TarEntry[] = [];
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const header = archive.subarray(at, at + BLOCK);
    if (header[0] === 0) {
      break;
    }
    const { path, size, isFile } = readTarHeader(header);
    const content = archive.subarray(at + BLOCK, at + BLOCK + size);
    if (content.length === size && isFile) {
      entries.push({ path, content });
    }
    at += BLOCK + size + paddingOf(size).length;
  }
  return entries;
}

export interface TarHeader {
  readonly path: string;
  readonly size: number;
  /** Not a folder, link or extended header. */
  readonly isFile: boolean;
}

/** Parsed entry header. @param header of BLOCK bytes */
export function readTarHeader(header: Buffer): TarHeader {
  const type = String.fromCharCode(header[156] ?? 0);
  const prefix = header.toString("latin1", 257, 262) === "ustar" ? text(header, 345, 500) : "";
  const name = text(header, 0, 100);
  return {
    path: prefix === "" ? name : `${prefix}/${name}`,
    size: readSize(header),
    isFile: type === "0" || type === "\0",
  };
}

function readSize(header: Buffer): number {
  return (header[124] ?? 0) & 0x80
    ? Number(header.readBigUInt64BE(128))
    : Number.parseInt(text(header, 124, 136).trim() || "0", 8);
}

function text(header: Buffer, from: number, to: number): string {
  const field = header.subarray(from, to);
  const end = field.indexOf(0);
  return field.toString("utf8", 0, end < 0 ? field.length : end);
}
