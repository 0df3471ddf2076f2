import { deflateRawSync } from "node:zlib";

export interface ZipOptions {
  /** @default deflated */
  readonly method?: number;
  readonly comment?: string;
  /** Instead of each file's own content. */
  readonly packed?: Buffer;
  /** Stated instead of each file's own size, bytes. */
  readonly size?: number;
}

/** A zip archive of these files, in memory. */
export function zipOf(
  entries: readonly { readonly path: string; readonly content: Uint8Array }[],
  { method = 8, comment = "", packed, size }: ZipOptions = {},
): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { path, content } of entries) {
    const name = Buffer.from(path);
    const data = packed ?? (method === 8 ? deflateRawSync(content) : Buffer.from(content));
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(method, 4);
    fields.writeUInt32LE(data.length, 14);
    fields.writeUInt32LE(size ?? content.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), fields, name, data]);
    const where = Buffer.alloc(14);
    where.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00"), fields, where, name]));
    locals.push(local);
    offset += local.length;
  }
  const entriesLength = directory.reduce((sum, { length }) => sum + length, 0);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(entriesLength, 8);
  end.writeUInt32LE(offset, 12);
  end.writeUInt16LE(Buffer.byteLength(comment), 16);
  return Buffer.concat([...locals, ...directory, Buffer.from("PK\x05\x06"), end, Buffer.from(comment)]);
}
