import { EKS_NODE_IMAGE } from "../catalog/eks";
import { images } from "../catalog/images";
import { K3S_VERSION } from "../catalog/k3s";
import { areMet, type KnownOf, knownVulnerabilities, mendedIn } from "../catalog/known-vulnerabilities";
import { type OtherPin, optInOf, type Pin, partOfImage } from "../catalog/pins";
import type { EnvironmentRun } from "../offline/environment";
import type { ReportedViolation } from "./result";
import { upstreamImages } from "./upstream-images";

type Run = Pick<EnvironmentRun, "environment" | "plan" | "recording">;

/** A release that an environment takes. */
interface Taken {
  readonly part: string;
  readonly pin: Pick<Pin, "kind" | "name" | "version">;
  /** Its image without the digest, or the setting that names it. */
  readonly where: string;
  /** Whether the catalogue pins it; else the environment names it. */
  readonly isPinned: boolean;
}

interface Found {
  readonly taken: Taken;
  readonly of: KnownOf;
}

/** Releases that an environment takes and that have published vulnerabilities: advice, for nothing newer may exist. */
export function vulnerableReleases(run: Run): ReportedViolation[] {
  if (run.plan.problems.some(({ severity }) => severity === "mandatory")) {
    return [];
  }
  const found = [...takenImages(run), ...takenByNodes(run)].flatMap((taken) =>
    knownVulnerabilities(taken.part, taken.pin).flatMap((of): Found[] => {
      const known = areMet(of.known);
      return known.length === 0 ? [] : [{ taken, of: { ...of, known } }];
    }),
  );
  return [...new Set(found.map(releaseOf))].map((release) =>
    advice(
      release,
      found.filter((each) => releaseOf(each) === release),
    ),
  );
}

function releaseOf({ of: { part, version } }: Found): string {
  return `${part} ${version}`;
}

function advice(release: string, found: readonly Found[]): ReportedViolation {
  const known = found[0]?.of.known ?? [];
  const ids = known.map(({ ids: [id = ""], severity }) => (severity === undefined ? id : `${id} (${severity})`));
  const fixedIn = mendedIn(known);
  const places = [...new Set(found.map(({ taken }) => taken.where))].join(", ");
  return {
    policy: "known-vulnerabilities",
    severity: "advisory",
    resource: release,
    message: `${places}: ${ids.join(", ")} published; ${fixedIn === undefined ? "no release fixes all of them" : `${fixedIn} fixes them`}. ${fixOf(found)}; npm run pins has the sources.`,
  };
}

function fixOf(found: readonly Found[]): string {
  const [optIn] = found.flatMap(({ taken }) => optInOf(taken.pin) ?? []);
  if (optIn !== undefined) {
    return `${optIn.by} asks for it: ${optIn.why}`;
  }
  return found.every(({ taken }) => taken.isPinned)
    ? "Take a release of this program that pins a newer one"
    : "This environment names it: remove that, or name a newer one";
}

function takenImages(run: Run): Taken[] {
  return upstreamImages(run).flatMap(({ repository, tag }): Taken[] => {
    const part = partOfImage(repository);
    const rows = images.filter((row) => row.repository === repository);
    const pinned = rows.find((row) => row.tag === tag);
    // Another tag may belong to any of several rows.
    const name = (pinned ?? (rows.length === 1 ? rows[0] : undefined))?.component ?? "";
    const pin = { kind: "image", name, version: tag } as const;
    return part === undefined
      ? []
      : [{ part: part.part, pin, where: `${repository}:${tag}`, isPinned: pinned !== undefined }];
  });
}

const ALIAS = /"alias":"al2023@(?<release>v\d{8})"/;

/** No image reference names the releases of nodes. */
function takenByNodes({ environment: { cluster }, recording }: Run): Taken[] {
  const booted = recording.resources
    .filter(({ type }) => type.endsWith(":EC2NodeClass"))
    .flatMap(({ inputs }) => ALIAS.exec(JSON.stringify(inputs))?.groups?.release ?? []);
  const isK3s = cluster.kind === "edge" && cluster.provision === "create";
  return [
    ...[...new Set(booted)].map((release) =>
      takenByNode("eks-node-image", release, "cluster.eks.nodeImage", release === EKS_NODE_IMAGE),
    ),
    ...(isK3s ? [takenByNode("k3s", K3S_VERSION, "k3s of the machine", true)] : []),
  ];
}

function takenByNode(name: OtherPin, version: string, where: string, isPinned: boolean): Taken {
  return { part: name, pin: { kind: "other", name, version }, where, isPinned };
}
