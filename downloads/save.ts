import { createHash } from "node:crypto";
import { createReadStream, existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { write } from "./write";

export interface Saved {
  readonly bytes: number;
  /** SHA-256 of the content, hexadecimal. */
  readonly sha256: string;
}

/** Known properties of a file. */
export interface Expected {
  readonly bytes?: number;
  /** Limit for an unknown size. */
  readonly atMostBytes?: number;
  readonly sha256?: string;
  /** Git blob id, if no other digest is known. */
  readonly gitBlob?: string;
}

/** The source ended normally with other content. */
export class WrongContentError extends Error {}

/** Content of a file from an offset. */
export type Source = (fromByte: number) => AsyncIterable<Uint8Array>;

export interface SaveOptions {
  /** Whether the source supports an offset. */
  readonly resumes: boolean;
  readonly onBytes?: (bytes: number) => void;
}

/**
 * Writes a file under its final name once complete and verified. Resumes a partial file (`.part`)
 * if the source can.
 *
 * Stops reading at the expected size.
 *
 * @param what for messages.
 * @throws WrongContentError with the actual content, which is deleted; errors of the source.
 */
export async function save(
  what: string,
  path: string,
  source: Source,
  expected: Expected,
  { resumes, onBytes }: SaveOptions,
): Promise<Saved> {
  const part = `${path}.part`;
  mkdirSync(dirname(path), { recursive: true });
  if (!resumes) {
    rmSync(part, { force: true });
  }
  const present = existsSync(part) ? statSync(part).size : 0;
  const isUsable = present > 0 && (expected.bytes === undefined || present <= expected.bytes);
  const before = isUsable ? present : 0;
  const digests = new Digests(expected);
  const most = mostBytes(expected);
  if (before > 0) {
    for await (const chunk of createReadStream(part)) {
      digests.add(chunk as Buffer);
    }
  }
  if (expected.bytes === undefined || digests.bytes < expected.bytes) {
    const measured = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of source(before)) {
        digests.add(chunk);
        if (digests.bytes > most) {
          return;
        }
        onBytes?.(chunk.byteLength);
        yield chunk;
      }
    };
    await write(measured(), part, before > 0 ? "a" : "w");
  } else if (!existsSync(part)) {
    // An empty file needs no request.
    await write([], part);
  }
  const problem = digests.problem();
  if (problem !== undefined) {
    // Fewer bytes mean a broken connection, to resume; others a different file.
    if (!resumes || expected.bytes === undefined || digests.bytes >= expected.bytes) {
      rmSync(part, { force: true });
    }
    throw new WrongContentError(`${what}: ${problem}`);
  }
  renameSync(part, path);
  return digests.saved();
}

export async function measure(path: string): Promise<Saved> {
  const digests = new Digests({});
  for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 21 })) {
    digests.add(chunk as Buffer);
  }
  return digests.saved();
}

function mostBytes({ bytes, atMostBytes }: Expected): number {
  return bytes ?? atMostBytes ?? Number.POSITIVE_INFINITY;
}

class Digests {
  bytes = 0;
  private readonly sha256 = createHash("sha256");
  private readonly git: ReturnType<typeof createHash> | undefined;
  private finished: string | undefined;

  constructor(private readonly expected: Expected) {
    this.git =
      expected.gitBlob === undefined || expected.bytes === undefined
        ? undefined
        : createHash("sha1").update(`blob ${expected.bytes}\0`);
  }

  add(chunk: Uint8Array): void {
    this.bytes += chunk.byteLength;
    this.sha256.update(chunk);
    this.git?.update(chunk);
  }

  saved(): Saved {
    this.finished ??= this.sha256.digest("hex");
    return { bytes: this.bytes, sha256: this.finished };
  }

  problem(): string | undefined {
    const { bytes, sha256, gitBlob } = this.expected;
    const most = mostBytes(this.expected);
    if (this.bytes > most) {
      return `more than ${most} bytes came`;
    }
    if (bytes !== undefined && bytes !== this.bytes) {
      return `${this.bytes} bytes came, and it has ${bytes}`;
    }
    const got = this.saved().sha256;
    if (sha256 !== undefined && sha256 !== got) {
      return `what came has the SHA-256 ${got}, and not ${sha256}`;
    }
    const id = this.git?.digest("hex");
    return id !== undefined && id !== gitBlob ? `what came has the git id ${id}, and not ${gitBlob}` : undefined;
  }
}
