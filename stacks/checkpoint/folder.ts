import { type FileHandle, open, readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Checkpoint } from "../../planner/model/checkpoint/checkpoint";
import { CheckpointError } from "../../planner/model/checkpoint/errors";
import type { CheckpointFiles, FilePart } from "./files";
import { KEPT_HEADERS, keptFiles } from "./kept-headers";
import { readCheckpoint } from "./read";

/** Compressed; the largest published checkpoints have less than 5 MB. */
const MAX_KEPT_BYTES = 100_000_000;

/**
 * The local checkpoint of a config.json: weight files next to it, or their kept headers. Other file
 * names are alone.
 * @throws CheckpointError
 */
export async function checkpointOf(configPath: string): Promise<Checkpoint | undefined> {
  if (basename(configPath) !== "config.json") {
    return undefined;
  }
  const folder = new FolderFiles(dirname(configPath));
  const kept = await folder.part(KEPT_HEADERS, 0, MAX_KEPT_BYTES);
  return readCheckpoint(kept === undefined ? folder : keptFiles(kept.bytes));
}

export class FolderFiles implements CheckpointFiles {
  constructor(private readonly folder: string) {}

  async list(): Promise<readonly string[]> {
    try {
      return await readdir(this.folder);
    } catch (error) {
      throw new CheckpointError(this.folder, `cannot be listed (${codeOf(error)})`);
    }
  }

  async text(name: string, mostBytes: number): Promise<string | undefined> {
    const whole = await this.part(name, 0, mostBytes);
    if (whole === undefined) {
      return undefined;
    }
    if (whole.fileBytes > mostBytes) {
      throw new CheckpointError(name, `has ${whole.fileBytes} bytes, of at most ${mostBytes}`);
    }
    return new TextDecoder().decode(whole.bytes);
  }

  async part(name: string, begin: number, length: number): Promise<FilePart | undefined> {
    const path = join(this.folder, name);
    let handle: FileHandle | undefined;
    try {
      // checked before opening: opening a pipe blocks
      const info = await stat(path);
      if (!info.isFile()) {
        throw new CheckpointError(name, "is no plain file");
      }
      handle = await open(path);
      const bytes = new Uint8Array(Math.max(0, Math.min(length, info.size - begin)));
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, begin);
      return { bytes: bytes.subarray(0, bytesRead), fileBytes: info.size };
    } catch (error) {
      if (error instanceof CheckpointError) {
        throw error;
      }
      if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") {
        return undefined;
      }
      throw new CheckpointError(name, `cannot be read (${codeOf(error)})`);
    } finally {
      await handle?.close();
    }
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
