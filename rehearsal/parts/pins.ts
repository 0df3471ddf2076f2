import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../names/repository-root";
import type { GoModule, Part, PyPiPackage } from "./part";
import { PARTS } from "./parts";

const MODULES = join(repositoryRoot(), "rehearsal", "parts", "modules");

/** Modules of which tests read custom resource definitions; rehearsal/parts/modules/crds/go.mod lists them. */
export const CRDS = "crds";

/** The name of the folder with a Go part's go.mod and go.sum. */
export function pinsOf({ name, from }: Part & { readonly from: GoModule }): string {
  return from.pins ?? name;
}

/** The folder with a go.mod and a go.sum. */
export function pinFolder(name: string): string {
  return join(MODULES, name);
}

/** What a part of PyPI installs: each package with its version and the hashes of its files. */
export function requirementsFile(name: string): string {
  return join(repositoryRoot(), "rehearsal", "parts", "requirements", `${name}.txt`);
}

/** The modules that rehearsal/parts/modules/<name>/go.mod requires, each with its version ("v1.2.3"). */
export function pins(name: string): ReadonlyMap<string, string> {
  return requirementsOf(readFileSync(join(pinFolder(name), "go.mod"), "utf8"));
}

/** The modules that the text of a go.mod requires, each with its version ("v1.2.3"), indirect ones too. */
export function requirementsOf(goMod: string): ReadonlyMap<string, string> {
  const requirements = goMod.matchAll(/^\s*(?:require\s+)?(?<module>\S+) (?<version>v\d\S*)(?: \/\/ indirect)?$/gm);
  return new Map([...requirements].map(({ groups }) => [groups?.module ?? "", groups?.version ?? ""]));
}

/**
 * The version that this repository pins for a part, without a leading "v"; undefined for Debian's, which come as the
 * distribution has them.
 *
 * @throws Error when go.mod of a Go part does not require its module.
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

/** The folder of go.mod that pins each module whose files tests read. */
export function fileModules(): ReadonlyMap<string, string> {
  const ofCrds = [...pins(CRDS).keys()].map((module): [string, string] => [module, CRDS]);
  const ofParts = PARTS.filter(isGoPart)
    .filter(({ from }) => from.files)
    .map((part): [string, string] => [part.from.module, pinsOf(part)]);
  return new Map([...ofCrds, ...ofParts]);
}

/** A Go module of which files are read. */
export interface PinnedModule {
  readonly module: string;
  /** `v1.2.3` */
  readonly version: string;
  /** Folder of rehearsal/parts/modules whose go.sum has its hash. */
  readonly pins: string;
}

/** @throws Error for a module that is not pinned, with the ones that are. */
export function pinnedModule(module: string): PinnedModule {
  const all = fileModules();
  const folder = all.get(module);
  const version = folder === undefined ? undefined : pins(folder).get(module);
  if (folder === undefined || version === undefined) {
    throw new Error(`no go.mod in rehearsal/parts/modules pins ${module}; there are: ${[...all.keys()].join(", ")}`);
  }
  return { module, version, pins: folder };
}

/** Whether a part is built from a Go module. */
export function isGoPart<P extends Part>(part: P): part is P & { readonly from: GoModule } {
  return part.from !== "debian" && "module" in part.from;
}

/** Whether a part is installed from PyPI. */
export function isPyPiPart<P extends Part>(part: P): part is P & { readonly from: PyPiPackage } {
  return part.from !== "debian" && "package" in part.from;
}
