import { programIn } from "../../names/programs";
import { PARTS } from "./parts";
import { CRDS } from "./pins";
import { downloadedFiles, RELEASES } from "./releases";

/**
 * Minutes that builds take on two idle cores with an empty cache, rounded up, of what rehearsals need. Each is less where
 * another was built before: they share packages. Source: user and system time of the setup on 2026-11-26.
 */
const BUILD_MINUTES: Readonly<Record<string, number>> = {
  kubernetes: 5,
  etcd: 1,
  kwok: 2,
  lws: 2,
  kuberay: 2,
  karpenter: 2,
};

/** Modules of CRDs: 10^6 bytes of archives. */
const CRDS_MEGABYTES = 100;

/** How something would be got on this machine, in words: by which way, how much and how long. */
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

/** Those of a rehearsal's parts that are only built, where this machine has no Go to build them with. */
export function lackGo(names: readonly string[]): string[] {
  const built = names.filter((name) => name !== CRDS && !isReleased(name));
  return programIn(process.env.PATH, "go") === undefined ? built : [];
}
