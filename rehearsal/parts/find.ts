import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import { messageOf } from "../../names/message-of";
import { isExecutable } from "../../names/programs";
import { keptModule, partFolder } from "./cache";
import type { Part } from "./part";
import { type BinaryName, partOf } from "./parts";
import { CRDS, pinFolder, pinnedModule, pinnedVersion } from "./pins";
import { askVersion, isAtLeast } from "./version";

/** Setup command in messages about missing dependencies. */
export const SETUP = "npm run e2e:setup";

export interface Found {
  readonly path: string;
  /** "cache", "PATH", or the environment variable of its folder. */
  readonly origin: string;
  readonly version: string;
}

export interface Search {
  readonly found?: Found;
  /** Why binaries with that name are not used, one sentence each. */
  readonly skipped: readonly string[];
}

const finds = new Map<string, Search>();

/**
 * Absolute path of a binary: from the environment's folder (KUBEBUILDER_ASSETS, PULUMI_HOME) or
 * PATH if recent enough, else the installed one.
 *
 * @throws Error with the install command.
 */
export function requirePart(binary: BinaryName): string {
  const part = partOf(binary);
  const { found, skipped } = lookFor(binary);
  if (found !== undefined) {
    return found.path;
  }
  const why = skipped.map((sentence) => ` ${sentence}.`).join("");
  const orAll = part.onRequest ? "" : `, or "${SETUP}" for all parts`;
  throw new Error(`${binary} is not installed.${why} Run "${SETUP} -- ${part.name}"${orAll}.`);
}

/** Like requirePart, without throwing; caches found binaries. */
export function lookFor(binary: BinaryName): Search {
  const search = finds.get(binary) ?? searchPart(partOf(binary), binary);
  if (search.found !== undefined) {
    finds.set(binary, search);
  }
  return search;
}

/** Searches a binary without installing it. */
export function searchPart(part: Part, binary: string): Search {
  const skipped: string[] = [];
  for (const { path, origin } of candidates(part, binary)) {
    try {
      const version = askVersion(path, part.versionArgs ?? []);
      if (part.oldest === undefined || isAtLeast(version, part.oldest)) {
        return { found: { path, origin, version }, skipped };
      }
      skipped.push(`${path} is ${version}, older than ${part.oldest}`);
    } catch (error) {
      skipped.push(messageOf(error));
    }
  }
  const folder = partFolder(part);
  const kept = folder === undefined ? undefined : join(folder, "bin", binary);
  if (kept === undefined || !isExecutable(kept)) {
    return { skipped };
  }
  return { found: { path: kept, origin: "cache", version: pinnedVersion(part) ?? "" }, skipped };
}

/**
 * Folder of a module's YAML files at the pinned version, from this cache or Go's.
 *
 * @throws Error with the download command; for an unpinned module, the pinned ones.
 */
export async function moduleFolder(module: string): Promise<string> {
  const pinned = pinnedModule(module);
  const kept = keptModule(pinned);
  if (existsSync(kept)) {
    return kept;
  }
  const retry = `Run "${SETUP} -- ${CRDS}".`;
  const { stdout } = await goList(module, pinFolder(pinned.pins)).catch((error: Error) => {
    throw new Error(
      `module ${module} is not downloaded, and Go does not say where it has it: ${error.message}. ${retry}`,
    );
  });
  const { Dir } = JSON.parse(stdout) as { readonly Dir?: string };
  if (Dir === undefined) {
    throw new Error(`module ${module} is not downloaded. ${retry}`);
  }
  return Dir;
}

/** -e tolerates a disabled proxy: a missing module only lacks its folder. */
function goList(module: string, cwd: string): Promise<{ stdout: string }> {
  const env = { ...process.env, GOPROXY: "off", GOWORK: "off" };
  return promisify(execFile)("go", ["list", "-mod=readonly", "-m", "-e", "-json", module], { cwd, env });
}

function candidates({ home, versionArgs }: Part, binary: string): { path: string; origin: string }[] {
  if (versionArgs === undefined) {
    return [];
  }
  const variable = home?.variable ?? "";
  const homeFolder = process.env[variable];
  const places = (process.env.PATH ?? "").split(delimiter).map((folder) => ({ folder, origin: "PATH" }));
  if (home !== undefined && homeFolder) {
    places.unshift({ folder: join(homeFolder, home.below), origin: variable });
  }
  return places
    .filter(({ folder }) => isAbsolute(folder))
    .map(({ folder, origin }) => ({ path: join(folder, binary), origin }))
    .filter(({ path }) => isExecutable(path));
}
