import { programIn } from "../../names/programs";
import { PARTS } from "./parts";
import { CRDS } from "./pins";
import { downloadedFiles, RELEASES } from "./releases";

/**
 * Build minutes of rehearsal dependencies on two idle cores with an empty cache, rounded up. Shared
 * packages lower later builds. Source: user and system time of the setup on 2026-11-26.
 */
const BUILD_MINUTES: Readonly<Record<string, number>> = {
  kubernetes: 5,
  etcd: 1,
  kwok: 2,
  lws: 2,
  kuberay: 2,
  karpenter: 2,
};

/** Archive size of the CRD modules, in 10^6 bytes. */
const CRDS_MEGABYTES = 100;

/** Describes how a dependency is installed, with its size and duration. */
export function effortOf(name: string): string {
  if (name === CRDS) {
    return `download of some ${CRDS_MEGABYTES} MB`;
  }
  const minutes = BUILD_MINUTES[name];
  const build = minutes === undefined ? "build by Go" : `build by Go of some ${minutes} min`;
  return isReleased(name) ? `download of some ${RELEASES[name]?.megabytes} MB, or ${build}` : build;
}

function isReleased(name: string): boolean {
  const part = PARTS.find((each) => each.name === name);
  return part !== undefined && downloadedFiles(part).length > 0;
}

/** Dependencies that must be built, if this machine has no Go. */
export function lackGo(names: readonly string[]): string[] {
  const built = names.filter((name) => name !== CRDS && !isReleased(name));
  return programIn(process.env.PATH, "go") === undefined ? built : [];
}
