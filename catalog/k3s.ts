import table from "./k3s.json";
import type { CpuArchitecture } from "./shapes";

/** A file of a release, and how it is known to be that file. */
export interface ReleaseFile {
  readonly file: string;
  /** Undefined where the size was not read. */
  readonly bytes?: number;
  /** Of its content, lower-case hexadecimal. */
  readonly sha256: string;
}

/** What a release has for machines of one architecture. */
export interface K3sArchitecture {
  /** As `uname -m` names it. */
  readonly machine: string;
  readonly binary: ReleaseFile;
  /** Container images that k3s itself runs, for machines without internet. */
  readonly images: ReleaseFile;
}

/** Release of k3s that is installed, with its build: v1.36.4+k3s1. */
export const K3S_VERSION: string = table.version;

/** Day of that release, and the day on which what is here was read. */
export const K3S_RELEASED_ON: string = table.releasedOn;
export const K3S_AS_OF: string = table.asOf;

/** Parent of release folders, without a trailing slash. */
export const K3S_DOWNLOADS: string = table.downloads;

/** The installer at the tag of the release. */
export const K3S_INSTALLER: { readonly url: string } & Omit<ReleaseFile, "file"> = table.installer;

// Checked against catalog/schema by test/catalog.
const architectures: Readonly<Record<CpuArchitecture, K3sArchitecture>> = table.architectures;

/** What the release has for machines of an architecture. */
export function k3sFor(arch: CpuArchitecture): K3sArchitecture {
  return architectures[arch];
}

/** Address of a file of the release. */
export function k3sUrl({ file }: Pick<ReleaseFile, "file">): string {
  return `${K3S_DOWNLOADS}/${encodeURIComponent(K3S_VERSION)}/${file}`;
}
