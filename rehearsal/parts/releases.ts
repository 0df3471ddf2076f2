import type { Part } from "./part";
import { pinnedVersion } from "./pins";

/** As Go names operating systems and architectures. */
export type Platform = `${"linux" | "darwin"}/${"amd64" | "arm64"}`;

/**
 * Binaries that a project publishes of the pinned version. In addresses and paths {version}, {binary}, {os} and {arch} are
 * filled in.
 */
export interface Release {
  /** The file that has a binary. */
  readonly url: string;
  /** The project's SHA-256 of it: a file of sha256sum, a bare one, or a release as GitHub's API describes it. */
  readonly checksums?: string;
  /** SHA-256 of the file by platform, where its project publishes none. */
  readonly sha256?: { readonly version: string } & Readonly<Partial<Record<Platform, string>>>;
  /** Path of the binary in the file, a .tar.gz. @default the file is the binary */
  readonly member?: string;
  readonly platforms: readonly Platform[];
  /** Names that the project has for an operating system or architecture, where they are not Go's. */
  readonly spelling?: Readonly<Record<string, string>>;
  /** Of all its files for linux/amd64, roughly: 10^6 bytes. */
  readonly megabytes: number;
}

const LINUX = ["linux/amd64", "linux/arm64"] as const;
const ALL = [...LINUX, "darwin/amd64", "darwin/arm64"] as const;

/**
 * By part. Addresses were read in the projects' release workflows on 2026-11-26 (docs/real-parts.md names them) and not
 * tried against the servers. Of all other parts no project publishes binaries of the pinned version: only images, or nothing.
 */
export const RELEASES: Readonly<Record<string, Release>> = {
  kubernetes: {
    url: "https://dl.k8s.io/v{version}/bin/{os}/{arch}/{binary}",
    checksums: "https://dl.k8s.io/v{version}/bin/{os}/{arch}/{binary}.sha256",
    platforms: LINUX,
    megabytes: 240,
  },
  kubectl: {
    url: "https://dl.k8s.io/v{version}/bin/{os}/{arch}/{binary}",
    checksums: "https://dl.k8s.io/v{version}/bin/{os}/{arch}/{binary}.sha256",
    platforms: ALL,
    megabytes: 60,
  },
  pulumi: {
    url: "https://github.com/pulumi/pulumi/releases/download/v{version}/pulumi-v{version}-{os}-{arch}.tar.gz",
    checksums: "https://github.com/pulumi/pulumi/releases/download/v{version}/pulumi-{version}-checksums.txt",
    member: "pulumi/pulumi",
    platforms: ALL,
    spelling: { amd64: "x64" },
    megabytes: 120,
  },
  etcd: {
    url: "https://github.com/etcd-io/etcd/releases/download/v{version}/etcd-v{version}-{os}-{arch}.tar.gz",
    checksums: "https://github.com/etcd-io/etcd/releases/download/v{version}/SHA256SUMS",
    member: "etcd-v{version}-{os}-{arch}/etcd",
    // For macOS it is a .zip.
    platforms: LINUX,
    megabytes: 25,
  },
  kwok: {
    url: "https://github.com/kubernetes-sigs/kwok/releases/download/v{version}/kwok-{os}-{arch}",
    // Its release has no checksums. Source: PKGBUILD of Arch's kwok-bin 0.8.0 (Linux, and the same for amd64 in two more
    // repositories), read 2026-11-26.
    sha256: {
      version: "0.8.0",
      "linux/amd64": "f5a4385a2ae1b9dd7f8acae18e002a75c0ebba124ae9d7259aa8dadb50711f46",
      "linux/arm64": "628f7d277860f524a2a775c217adcc58828e7b59ab0933680315784f1b8b0e37",
    },
    platforms: LINUX,
    megabytes: 80,
  },
  "envoy-gateway": {
    url: "https://github.com/envoyproxy/gateway/releases/download/v{version}/envoy-gateway_v{version}_{os}_{arch}.tar.gz",
    // Its release has no checksums; GitHub states those of every file since 2025-06-03.
    checksums: "https://api.github.com/repos/envoyproxy/gateway/releases/tags/v{version}",
    member: "bin/{os}/{arch}/envoy-gateway",
    platforms: ALL,
    megabytes: 50,
  },
  crane: {
    url: "https://github.com/google/go-containerregistry/releases/download/v{version}/go-containerregistry_{os}_{arch}.tar.gz",
    checksums: "https://github.com/google/go-containerregistry/releases/download/v{version}/checksums.txt",
    member: "crane",
    platforms: ALL,
    spelling: { linux: "Linux", darwin: "Darwin", amd64: "x86_64" },
    megabytes: 10,
  },
  "kube-score": {
    url: "https://github.com/zegl/kube-score/releases/download/v{version}/kube-score_{version}_{os}_{arch}.tar.gz",
    checksums: "https://github.com/zegl/kube-score/releases/download/v{version}/checksums.txt",
    member: "kube-score",
    platforms: ALL,
    megabytes: 10,
  },
  kubeconform: {
    url: "https://github.com/yannh/kubeconform/releases/download/v{version}/kubeconform-{os}-{arch}.tar.gz",
    checksums: "https://github.com/yannh/kubeconform/releases/download/v{version}/CHECKSUMS",
    member: "kubeconform",
    platforms: ALL,
    megabytes: 7,
  },
};

/** One file of a release, and the binary in it. */
export interface ReleaseFile {
  readonly binary: string;
  readonly url: string;
  /** Its SHA-256, or the address where that is stated. */
  readonly expected: { readonly sha256: string } | { readonly checksums: string };
  readonly member?: string;
}

/** Files of a part's release that are downloaded on this machine; none where INFERENCE_STACKS_RELEASES is "off". */
export function downloadedFiles(part: Part): ReleaseFile[] {
  return process.env[RELEASES_VARIABLE] === "off" ? [] : releaseFiles(part, ownPlatform());
}

/** Files of a part's release for a platform; none where its project publishes no binaries for it. */
export function releaseFiles(part: Part, platform: string, releases = RELEASES): ReleaseFile[] {
  const release = releases[part.name];
  const version = pinnedVersion(part) ?? "";
  if (release === undefined || !isOneOf(release.platforms, platform)) {
    return [];
  }
  const [os = "", arch = ""] = platform.split("/");
  const stated = release.sha256?.version === version ? release.sha256[platform] : undefined;
  return Object.keys(part.binaries).flatMap((binary) => {
    const { spelling = {} } = release;
    const words: Readonly<Record<string, string>> = {
      version,
      binary,
      os: spelling[os] ?? os,
      arch: spelling[arch] ?? arch,
    };
    const filled = (text: string) => text.replace(/\{(\w+)\}/g, (_, word: string) => words[word] ?? "");
    const expected =
      stated !== undefined ? { sha256: stated } : release.checksums && { checksums: filled(release.checksums) };
    return expected
      ? [{ binary, url: filled(release.url), expected, ...(release.member && { member: filled(release.member) }) }]
      : [];
  });
}

function isOneOf<T extends string>(all: readonly T[], one: string): one is T {
  return all.some((each) => each === one);
}

/** This machine's platform, as Go names it. */
export function ownPlatform(): string {
  return `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`;
}

/** Where releases come from instead of their projects' servers; "off": nowhere. */
export const RELEASES_VARIABLE = "INFERENCE_STACKS_RELEASES";

/** @throws Error for a value of INFERENCE_STACKS_RELEASES that is no web address. */
export function requireMirror(mirror: string): void {
  if (!/^https?:\/\/./.test(mirror) || !URL.canParse(mirror)) {
    throw new Error(`${RELEASES_VARIABLE} is neither "off" nor an address such as https://mirror.example.com/releases`);
  }
}

/**
 * The address that a file of a release is fetched from: `<mirror>/<host>/<path>` where there is a mirror.
 *
 * @param mirror value of INFERENCE_STACKS_RELEASES.
 * @throws Error where that is no address of the web.
 */
export function mirrored(url: string, mirror: string | undefined): string {
  if (!mirror) {
    return url;
  }
  requireMirror(mirror);
  const { host, pathname } = new URL(url);
  return `${mirror.replace(/\/+$/, "")}/${host}${pathname}`;
}
