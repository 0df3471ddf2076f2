import { CheckpointError } from "../../planner/model/checkpoint/errors";
import { bodyOf, type RemoteOptions, Unreadable, withRemoteFile } from "../config/remote-file";
import type { CheckpointFiles, FilePart } from "./files";

/**
 * Requests a file; undefined if missing.
 * @throws CheckpointError, and what `use` throws
 */
export type Ask = <T>(
  name: string,
  headers: Readonly<Record<string, string>>,
  use: (response: Response) => Promise<T>,
) => Promise<T | undefined>;

/** A checkpoint on a server: headers are fetched as ranges, without weights. */
export class RemoteFiles implements CheckpointFiles {
  constructor(private readonly ask: Ask) {}

  async text(name: string, mostBytes: number): Promise<string | undefined> {
    const bytes = await this.ask(name, {}, (response) => bodyOf(response, mostBytes, "name another checkpoint"));
    return bytes && new TextDecoder().decode(bytes);
  }

  async part(name: string, begin: number, length: number): Promise<FilePart | undefined> {
    // compressed ranges are of other bytes
    const headers = { range: `bytes=${begin}-${begin + Math.max(1, length) - 1}`, "accept-encoding": "identity" };
    return this.ask(name, headers, async (response) => {
      const [, from, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get("content-range") ?? "") ?? [];
      if (response.status !== 206 || Number(from) !== begin || !Number.isSafeInteger(Number(total))) {
        await response.body?.cancel();
        throw new Unreadable("the server sends no part of a file", "download the folder and give its path");
      }
      const bytes = await bodyOf(response, Math.max(1, length), "the server sends more than it was asked for");
      return { bytes: bytes.subarray(0, length), fileBytes: Number(total) };
    });
  }
}

/** @param location an https:// or s3:// URL */
export function filesBeside(location: string, options: RemoteOptions): CheckpointFiles {
  const isS3 = /^s3:/i.test(location);
  return new RemoteFiles(async (name, headers, use) => {
    const address = isS3 ? location.replace(/[^/]*$/, name) : new URL(name, location).href;
    try {
      return await withRemoteFile(address, options, headers, use);
    } catch (error) {
      if (!(error instanceof Unreadable)) {
        throw error;
      }
      // stores hide missing files from those without the right to list
      if (error.status === 404 || (isS3 && error.status === 403)) {
        return undefined;
      }
      throw new CheckpointError(name, `cannot be read: ${error.message}; ${error.fix}`);
    }
  });
}
