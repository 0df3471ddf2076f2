import { createHash } from "node:crypto";
import { createReadStream, existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { write } from "./write";

export interface Saved {
  readonly bytes: number;
  /** SHA-256 of the content, hexadecimal. */
  readonly sha256: string;
}

/** What a file must be, as far as its source says so beforehand. */
export interface Expected {
  readonly bytes?: number;
  /** Where nobody says its size: what it never exceeds. */
  readonly atMostBytes?: number;
  readonly sha256?: string;
  /** Id of the file as a blob of git, where that is all that is known. */
  readonly gitBlob?: string;
}

/** The source ended well, and what came is not what was expected. */
export class WrongContentError extends Error {}

/** The content of a file from a byte on. */
export type Source = (fromByte: number) => AsyncIterable<Uint8Array>;

export interface SaveOptions {
  /** The source can go on where an earlier attempt stopped. */
  readonly resumes: boolean;
  readonly onBytes?: (bytes: number) => void;
}

/**
 * Writes a file under its name only once all of it is there and is what was expected. What an earlier attempt left beside
 * it (`.part`) is gone on with where the source can.
 *
 * A source that gives more than it should, or never ends, is left after these bytes.
 *
 * @param what names it in messages.
 * @throws WrongContentError with what came instead, which is deleted; what the source throws.
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
    // An empty file has no bytes to ask for.
    await write([], part);
  }
  const problem = digests.problem();
  if (problem !== undefined) {
    // Fewer bytes are a connection that ended: the next attempt goes on. Other bytes are another file.
    if (!resumes || expected.bytes === undefined || digests.bytes >= expected.bytes) {
      rmSync(part, { force: true });
    }
    throw new WrongContentError(`${what}: ${problem}`);
  }
  renameSync(part, path);
  return digests.saved();
}

/** The size and SHA-256 of a file that is there. */
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
