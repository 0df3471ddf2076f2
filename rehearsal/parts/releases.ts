import type { Part } from "./part";
import { pinnedVersion } from "./pins";

/** Go's names of operating systems and architectures. */
export type Platform = `${"linux" | "darwin"}/${"amd64" | "arm64"}`;

/**
 * Published binaries of the pinned version. URLs and paths may contain {version}, {binary}, {os}
 * and {arch}.
 */
export interface Release {
  /** File with a binary. */
  readonly url: string;
  /** URL of the project's SHA-256: sha256sum file, bare sum, or GitHub release API. */
  readonly checksums?: string;
  /** SHA-256 by platform, if not published by the project. */
  readonly sha256?: { readonly version: string } & Readonly<Partial<Record<Platform, string>>>;
  /** Path in a .tar.gz. @default the file is the binary */
  readonly member?: string;
  readonly platforms: readonly Platform[];
  /** The project's names, if not Go's. */
  readonly spelling?: Readonly<Record<string, string>>;
  /** Approximate size of all linux/amd64 files, in 10^6 bytes. */
  readonly megabytes: number;
}

const LINUX = ["linux/amd64", "linux/arm64"] as const;
const ALL = [...LINUX, "darwin/amd64", "darwin/arm64"] as const;

/**
 * Releases by dependency. URLs are from release workflows read on 2026-11-26 (docs/real-parts.md
 * names them), not tried. Other projects publish no binaries of the pinned version.
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
    // No published checksums. Source: PKGBUILD of Arch's kwok-bin 0.8.0 (Linux; same for amd64 in
    // two more repositories), read 2026-11-26.
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
    // No published checksums; GitHub's API has them for all files since 2025-06-03.
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

export interface ReleaseFile {
  readonly binary: string;
  readonly url: string;
  /** SHA-256, or the URL that states it. */
  readonly expected: { readonly sha256: string } | { readonly checksums: string };
  readonly member?: string;
}

/** Release files to download on this machine; none if INFERENCE_STACKS_RELEASES is "off". */
export function downloadedFiles(part: Part): ReleaseFile[] {
  return process.env[RELEASES_VARIABLE] === "off" ? [] : releaseFiles(part, ownPlatform());
}

/** Release files for a platform; none if unsupported. */
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

/** This platform in Go's spelling. */
export function ownPlatform(): string {
  return `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`;
}

/** Mirror of the projects' servers; "off" disables downloads. */
export const RELEASES_VARIABLE = "INFERENCE_STACKS_RELEASES";

/** @throws Error if INFERENCE_STACKS_RELEASES is no web address. */
export function requireMirror(mirror: string): void {
  if (!/^https?:\/\/./.test(mirror) || !URL.canParse(mirror)) {
    throw new Error(`${RELEASES_VARIABLE} is neither "off" nor an address such as https://mirror.example.com/releases`);
  }
}

/**
 * Download URL of a release file: `<mirror>/<host>/<path>` with a mirror.
 *
 * @param mirror value of INFERENCE_STACKS_RELEASES.
 * @throws Error if that is no web address.
 */
export function mirrored(url: string, mirror: string | undefined): string {
  if (!mirror) {
    return url;
  }
  requireMirror(mirror);
  const { host, pathname } = new URL(url);
  return `${mirror.replace(/\/+$/, "")}/${host}${pathname}`;
}
