import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../names/repository-root";
import type { GoModule, Part, PyPiPackage } from "./part";
import { PARTS } from "./parts";

const MODULES = join(repositoryRoot(), "rehearsal", "parts", "modules");

/**
 * Modules with custom resource definitions for tests; listed in
 * rehearsal/parts/modules/crds/go.mod.
 */
export const CRDS = "crds";

/** Folder name of a Go dependency's go.mod and go.sum. */
export function pinsOf({ name, from }: Part & { readonly from: GoModule }): string {
  return from.pins ?? name;
}

export function pinFolder(name: string): string {
  return join(MODULES, name);
}

/** Pinned PyPI packages with hashes. */
export function requirementsFile(name: string): string {
  return join(repositoryRoot(), "rehearsal", "parts", "requirements", `${name}.txt`);
}

/** Modules required by rehearsal/parts/modules/<name>/go.mod, with versions ("v1.2.3"). */
export function pins(name: string): ReadonlyMap<string, string> {
  return requirementsOf(readFileSync(join(pinFolder(name), "go.mod"), "utf8"));
}

/** Modules required by a go.mod's text, with versions ("v1.2.3"), including indirect ones. */
export function requirementsOf(goMod: string): ReadonlyMap<string, string> {
  const requirements = goMod.matchAll(/^\s*(?:require\s+)?(?<module>\S+) (?<version>v\d\S*)(?: \/\/ indirect)?$/gm);
  return new Map([...requirements].map(({ groups }) => [groups?.module ?? "", groups?.version ?? ""]));
}

/**
 * Pinned version without "v"; undefined for Debian packages.
 *
 * @throws Error when a Go dependency's go.mod does not require its module.
 */
export function pinnedVersion(part: Part): string | undefined {
  if (part.from === "debian") {
    return undefined;
  }
  if ("package" in part.from) {
    return part.from.version;
  }
  const { module, pins: folder = part.name } = part.from;
  const version = pins(folder).get(module);
  if (version === undefined) {
    throw new Error(`${pinFolder(folder)}/go.mod does not require ${module}`);
  }
  return version.slice(1);
}

/** Folder of go.mod for each module whose files tests read. */
export function fileModules(): ReadonlyMap<string, string> {
  const ofCrds = [...pins(CRDS).keys()].map((module): [string, string] => [module, CRDS]);
  const ofParts = PARTS.filter(isGoPart)
    .filter(({ from }) => from.files)
    .map((part): [string, string] => [part.from.module, pinsOf(part)]);
  return new Map([...ofCrds, ...ofParts]);
}

export interface PinnedModule {
  readonly module: string;
  /** `v1.2.3` */
  readonly version: string;
  /** Folder in rehearsal/parts/modules whose go.sum has its hash. */
  readonly pins: string;
}

/** @throws Error for an unpinned module, with the pinned ones. */
export function pinnedModule(module: string): PinnedModule {
  const all = fileModules();
  const folder = all.get(module);
  const version = folder === undefined ? undefined : pins(folder).get(module);
  if (folder === undefined || version === undefined) {
    throw new Error(`no go.mod in rehearsal/parts/modules pins ${module}; there are: ${[...all.keys()].join(", ")}`);
  }
  return { module, version, pins: folder };
}

export function isGoPart<P extends Part>(part: P): part is P & { readonly from: GoModule } {
  return part.from !== "debian" && "module" in part.from;
}

export function isPyPiPart<P extends Part>(part: P): part is P & { readonly from: PyPiPackage } {
  return part.from !== "debian" && "package" in part.from;
}
