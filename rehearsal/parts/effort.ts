import { programIn } from "../../names/programs";
import { PARTS } from "./parts";
import { CRDS } from "./pins";
import { ownPlatform, RELEASES, RELEASES_VARIABLE, releaseFiles } from "./releases";

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
    return `download of ${CRDS_MEGABYTES} MB by Go`;
  }
  const minutes = BUILD_MINUTES[name];
  const build = minutes === undefined ? "build by Go" : `build by Go of some ${minutes} min`;
  const part = PARTS.find((each) => each.name === name);
  const isReleased =
    part !== undefined && process.env[RELEASES_VARIABLE] !== "off" && releaseFiles(part, ownPlatform()).length > 0;
  return isReleased ? `download of some ${RELEASES[name]?.megabytes} MB, or ${build}` : build;
}

/** Whether this machine has the compiler that builds parts and downloads modules. */
export function hasGo(): boolean {
  return programIn(process.env.PATH, "go") !== undefined;
}
