import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { httpFile, shownUrl } from "../../downloads/http";
import { save } from "../../downloads/save";
import { type ZipEntry, zipEntries } from "../../downloads/unzip";
import { messageOf } from "../../names/message-of";
import type { LoggedCommands } from "./command";
import { type PinnedModule, pinFolder } from "./pins";

/** Go's default of GOPROXY. */
const PUBLIC_PROXY = "https://proxy.golang.org";

/** Files that are read of a module: definitions and charts. The rest is twice as much. */
const READ = /\.ya?ml$/;

/**
 * Downloads a module's YAML files without Go, from the proxies of GOPROXY, and compares the whole module with go.sum as
 * Go does.
 *
 * @param folder gets the files.
 * @throws Error with what each proxy answers, or with the hash that came and the one of go.sum.
 */
export async function downloadModule(pinned: PinnedModule, folder: string, commands: LoggedCommands): Promise<void> {
  const archive = join(folder, "module.zip");
  const url = await fetchArchive(pinned, archive, commands);
  const prefix = `${pinned.module}@${pinned.version}/`;
  const entries = entriesOf(archive, url);
  rmSync(archive);
  const [got, expected] = [moduleHash(entries), hashInGoSum(pinned)];
  if (got !== expected) {
    throw new Error(`${shownUrl(url)}: what came has the hash ${got}, and go.sum has ${expected}`);
  }
  for (const { path, content } of entries) {
    // A line break in a name could stand for the hash of another file: Go refuses it too.
    if (!path.startsWith(prefix) || path.split("/").includes("..") || path.includes("\n")) {
      throw new Error(`${shownUrl(url)}: has a file ${path} outside of ${prefix}`);
    }
    if (READ.test(path)) {
      const file = join(folder, path.slice(prefix.length));
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    }
  }
}

/** @returns the address that it came from. */
async function fetchArchive(
  { module, version }: PinnedModule,
  archive: string,
  commands: LoggedCommands,
): Promise<string> {
  const reasons: string[] = [];
  for (const proxy of proxiesOf(process.env.GOPROXY)) {
    const url = `${proxy}/${escaped(module)}/@v/${escaped(version)}.zip`;
    commands.note(`GET ${shownUrl(url)}`);
    try {
      await save(shownUrl(url), archive, httpFile(url), {}, { resumes: false });
      return url;
    } catch (error) {
      reasons.push(messageOf(error));
    }
  }
  throw new Error(reasons.join("; ") || "GOPROXY names no proxy");
}

function entriesOf(archive: string, url: string): ZipEntry[] {
  try {
    return [...zipEntries(readFileSync(archive))];
  } catch (error) {
    throw new Error(`${shownUrl(url)}: ${messageOf(error)}`);
  }
}

/** The proxies of GOPROXY; "direct" asks version control, which only Go does. */
export function proxiesOf(variable: string | undefined): string[] {
  const entries = (variable || PUBLIC_PROXY).split(/[,|]/).map((entry) => entry.trim().replace(/\/+$/, ""));
  const [end = entries.length] = [entries.indexOf("off")].filter((index) => index >= 0);
  return entries.slice(0, end).filter((entry) => /^https?:\/\//.test(entry));
}

/** Capital letters as proxies write them (https://go.dev/ref/mod#goproxy-protocol). */
export function escaped(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
}

/** The hash of a module's files as go.sum has it: of the lines of sha256sum of all, in the order of their names. */
export function moduleHash(entries: readonly ZipEntry[]): string {
  const sha256 = (content: Buffer | string) => createHash("sha256").update(content);
  const sorted = [...entries].sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
  const lines = sorted.map(({ path, content }) => `${sha256(content).digest("hex")}  ${path}\n`);
  return `h1:${sha256(lines.join("")).digest("base64")}`;
}

function hashInGoSum({ module, version, pins }: PinnedModule): string {
  const file = join(pinFolder(pins), "go.sum");
  const line = readFileSync(file, "utf8")
    .split("\n")
    .find((each) => each.startsWith(`${module} ${version} `));
  const hash = line?.split(" ")[2];
  if (hash === undefined) {
    throw new Error(`${file} has no hash of ${module} ${version}`);
  }
  return hash;
}
