/** A layer that is a tar archive, plain or compressed: what it holds, by reading all of it once, and its members. */
import { createHash } from "node:crypto";
import { Readable, type Transform } from "node:stream";
import * as zlib from "node:zlib";
import type { Blob, OciRegistry } from "./oci-registry.ts";
import { resumed } from "./resume.ts";
import { FinalError } from "./retry.ts";
import { ByteReader, type TarMember, tarMembers } from "./tar-members.ts";

export interface ArchivedFile {
  readonly path: string;
  readonly kind: TarMember["kind"];
  /** Bytes. */
  readonly size: number;
  /** Of a file, as the layer of this digest has it. */
  readonly sha256: string;
  /** In the unpacked archive. */
  readonly offset: number;
  /** Content of an index of weights: it says which files are copied, before the archive is read again for them. */
  readonly index?: Buffer;
}

/** Weights shrink by a third at most; base images to a quarter. */
const MOST_EXPANSION = 20;
/** Of archives of a few bytes: padding. */
const SMALL_BYTES = 2 ** 20;
/** More than any model and the image below it have. */
const MOST_MEMBERS = 200_000;

/** An index names some 60 bytes for each tensor. */
const MOST_INDEX_BYTES = 64 * 2 ** 20;

function isIndex(path: string, size: number): boolean {
  return path.endsWith(".index.json") && size <= MOST_INDEX_BYTES;
}

/** Of unpacked bytes: Node's 16 KiB cost more than unpacking. */
const CHUNK_BYTES = 2 ** 20;

type Compression = "gzip" | "zstd" | "none";

/** By the bytes that a stream starts with (RFC 1952, RFC 8878). */
const MAGIC: readonly (readonly [Compression, readonly number[]])[] = [
  ["gzip", [0x1f, 0x8b]],
  ["zstd", [0x28, 0xb5, 0x2f, 0xfd]],
];

export class LayerArchive {
  private readonly registry: OciRegistry;
  private readonly blob: Blob;
  private compression: Compression = "none";
  private open: ByteReader | undefined;

  constructor(registry: OciRegistry, blob: Blob) {
    this.registry = registry;
    this.blob = blob;
  }

  /**
   * Every member.
   * @throws FinalError when the layer does not have its digest, or is no archive.
   */
  async members(): Promise<ArchivedFile[]> {
    const { digest } = this.blob;
    const hash = createHash("sha256");
    const members: ArchivedFile[] = [];
    try {
      for await (const { path, kind, size, offset, content } of tarMembers(await this.unpacked(hash))) {
        const sha256 = createHash("sha256");
        const kept: Uint8Array[] | undefined = isIndex(path, size) ? [] : undefined;
        for await (const chunk of content) {
          sha256.update(chunk);
          kept?.push(chunk);
        }
        const index = kept && Buffer.concat(kept);
        members.push({ path, kind, size, offset, sha256: sha256.digest("hex"), ...(index && { index }) });
        if (members.length > MOST_MEMBERS) {
          throw new FinalError(`it has more than ${MOST_MEMBERS} members`);
        }
      }
    } catch (error) {
      throw this.unreadable(error);
    }
    const arrived = `sha256:${hash.digest("hex")}`;
    if (arrived !== digest) {
      throw new FinalError(`${this.where()} arrived with the digest ${arrived}: the registry holds another content`);
    }
    return members;
  }

  /** Whether its members are read one at a time, best in their order: there is no way into the middle. */
  get isCompressed(): boolean {
    return this.compression !== "none";
  }

  /** The content of a member. */
  content({ path, size, offset }: ArchivedFile): AsyncGenerator<Uint8Array> {
    return this.isCompressed
      ? this.sequential(offset, size)
      : resumed({ repository: this.registry.name, path, size, fromByte: 0 }, (from) =>
          this.registry.blob(this.blob, offset + from, offset + size),
        );
  }

  /** Goes on with the download of the member before it. */
  private async *sequential(offset: number, size: number): AsyncGenerator<Uint8Array> {
    let isWhole = false;
    try {
      if (this.open === undefined || this.open.read > offset) {
        await this.close();
        this.open = new ByteReader(await this.unpacked());
      }
      await this.open.skip(offset - this.open.read);
      yield* this.open.next(size);
      isWhole = true;
    } catch (error) {
      throw this.unreadable(error);
    } finally {
      if (!isWhole) {
        await this.close();
      }
    }
  }

  private async close(): Promise<void> {
    const { open } = this;
    this.open = undefined;
    await open?.close();
  }

  private where(): string {
    return `${this.registry.name}, layer ${this.blob.digest}`;
  }

  /** Damage is final; a connection that broke is not. */
  private unreadable(error: unknown): unknown {
    const code = String((error as NodeJS.ErrnoException | undefined)?.code ?? "");
    if (!(error instanceof FinalError) && !/^(Z_|ZSTD_|ERR_ZLIB)/.test(code)) {
      return error;
    }
    // Node 24 unpacks the first frame alone.
    const hint = this.compression === "zstd" ? "; zstd in several frames (zstd:chunked) is not supported" : "";
    return new FinalError(`${this.where()}: ${(error as Error).message}${hint}`);
  }

  /** The archive's own bytes. @param hash of the bytes that come. */
  private async unpacked(hash?: ReturnType<typeof createHash>): Promise<AsyncIterable<Uint8Array>> {
    const { digest, size } = this.blob;
    const packed = resumed({ repository: this.registry.name, path: digest, size, fromByte: 0 }, (from) =>
      this.registry.blob(this.blob, from),
    );
    const first = await packed.next();
    const start = first.done ? new Uint8Array() : first.value;
    this.compression = MAGIC.find(([, magic]) => magic.every((byte, at) => start[at] === byte))?.[0] ?? "none";
    const bytes = hashed(start, packed, hash);
    return this.compression === "none" ? bytes : limited(bytes, decompressor(this.compression), size);
  }
}

async function* hashed(
  start: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash> | undefined,
): AsyncGenerator<Uint8Array> {
  hash?.update(start);
  yield start;
  for await (const chunk of rest) {
    hash?.update(chunk);
    yield chunk;
  }
}

/** @throws FinalError for an archive that unpacks to more than any that holds weights. */
async function* limited(bytes: AsyncIterable<Uint8Array>, unpack: Transform, size: number): AsyncGenerator<Uint8Array> {
  const source = Readable.from(bytes, { objectMode: false });
  source.on("error", (error) => unpack.destroy(error));
  const most = size * MOST_EXPANSION + SMALL_BYTES;
  let unpacked = 0;
  try {
    for await (const chunk of source.pipe(unpack)) {
      unpacked += chunk.length;
      if (unpacked > most) {
        throw new FinalError(`it unpacks to more than ${MOST_EXPANSION} times its ${size} bytes`);
      }
      yield chunk;
    }
  } finally {
    source.destroy();
    unpack.destroy();
  }
}

/** @throws FinalError where this Node cannot: zstd came with 22.15. */
function decompressor(compression: "gzip" | "zstd"): Transform {
  if (compression === "gzip") {
    return zlib.createGunzip({ chunkSize: CHUNK_BYTES });
  }
  const { createZstdDecompress } = zlib as {
    readonly createZstdDecompress?: (options: { chunkSize: number }) => Transform;
  };
  if (createZstdDecompress === undefined) {
    throw new FinalError("it is compressed by zstd, which needs Node 22.15");
  }
  return createZstdDecompress({ chunkSize: CHUNK_BYTES });
}
