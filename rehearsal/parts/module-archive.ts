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

/** Files extracted from a module: definitions and charts. */
const READ = /\.ya?ml$/;

/**
 * Downloads a module's YAML files through GOPROXY without Go, and verifies the whole module against
 * go.sum.
 *
 * @param folder receives the files.
 * @throws Error with each proxy's answer, or with both hashes.
 */
export async function downloadModule(pinned: PinnedModule, folder: string, commands: LoggedCommands): Promise<void> {
  const archive = join(folder, "module.zip");
  const url = await fetchArchive(pinned, archive, commands);
  const prefix = `${pinned.module}@${pinned.version}/`;
  const entries = entriesOf(archive, url);
  rmSync(archive);
  const [got, expected] = [moduleHash(entries), hashInGoSum(pinned)];
  if (got !== expected) {
    throw new Error(`${shownUrl(url)}: the file has the hash ${got}, but go.sum has ${expected}`);
  }
  for (const { path, content } of entries) {
    // A line break in a name could forge another file's hash: Go refuses it too.
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

/** @returns its URL. */
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

/** Proxies of GOPROXY; skips "direct", which only Go supports. */
export function proxiesOf(variable: string | undefined): string[] {
  const entries = (variable || PUBLIC_PROXY).split(/[,|]/).map((entry) => entry.trim().replace(/\/+$/, ""));
  const [end = entries.length] = [entries.indexOf("off")].filter((index) => index >= 0);
  return entries.slice(0, end).filter((entry) => /^https?:\/\//.test(entry));
}

/** Escapes capitals for proxies (https://go.dev/ref/mod#goproxy-protocol). */
export function escaped(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
}

/** go.sum hash of a module: over sha256sum lines of all files, by name. */
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
