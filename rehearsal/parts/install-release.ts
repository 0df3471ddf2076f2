import { chmodSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { httpFile, httpText, shownUrl } from "../../downloads/http";
import { save, WrongContentError } from "../../downloads/save";
import { extractFile } from "../../downloads/untar";
import { messageOf } from "../../names/message-of";
import { sha256In } from "./checksums";
import type { LoggedCommands } from "./command";
import { mirrored, type ReleaseFile } from "./releases";

/** Timeout without data, in seconds; total time is unlimited. */
const SILENCE = { silenceSeconds: 30 };
const NOTE_BYTES = 2_000_000;

/**
 * Downloads published binaries into `<folder>/bin`, verified by the project's SHA-256. Resumes an
 * interrupted download once.
 *
 * @param mirror value of INFERENCE_STACKS_RELEASES.
 * @throws Error with the URL, and expected and actual content.
 */
export async function downloadRelease(
  files: readonly ReleaseFile[],
  folder: string,
  commands: LoggedCommands,
  mirror: string | undefined,
): Promise<void> {
  mkdirSync(join(folder, "bin"), { recursive: true });
  for (const file of files) {
    const target = join(folder, "bin", file.binary);
    const url = mirrored(file.url, mirror);
    const sha256 = await expectedSum(file, mirror);
    const downloaded = join(folder, "download");
    await fetchFile(url, downloaded, sha256, commands);
    if (file.member === undefined) {
      renameSync(downloaded, target);
    } else {
      await extractFile(downloaded, file.member, target).catch((error: Error) => {
        throw new Error(`${shownUrl(url)}: ${error.message}`);
      });
      rmSync(downloaded);
    }
    chmodSync(target, 0o755);
  }
}

async function expectedSum({ url, expected }: ReleaseFile, mirror: string | undefined): Promise<string> {
  if ("sha256" in expected) {
    return expected.sha256;
  }
  const name = url.slice(url.lastIndexOf("/") + 1);
  const source = mirrored(expected.checksums, mirror);
  const sha256 = sha256In(await httpText(source, SILENCE), name);
  if (sha256 === undefined) {
    throw new Error(`${shownUrl(source)}: has no SHA-256 of ${name}`);
  }
  return sha256;
}

async function fetchFile(url: string, target: string, sha256: string, commands: LoggedCommands): Promise<void> {
  const what = shownUrl(url);
  let bytes = 0;
  let noted = 0;
  const onBytes = (more: number) => {
    bytes += more;
    if (bytes - noted >= NOTE_BYTES) {
      noted = bytes;
      commands.note(`${(bytes / 1e6).toFixed(0)} MB of ${what}`);
    }
  };
  const once = () => save(what, target, httpFile(url, SILENCE), { sha256 }, { resumes: true, onBytes });
  commands.note(`GET ${what}`);
  try {
    await once();
  } catch (error) {
    if (bytes === 0 || error instanceof WrongContentError) {
      throw error;
    }
    commands.note(`${messageOf(error)}; goes on`);
    await once();
  }
}
