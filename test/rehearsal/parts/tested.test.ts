/** What tests run is what environments install, or the difference is named: in the catalogue, and in docs/proof.md. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { images } from "../../../catalog/images";
import tested from "../../../catalog/tested.json";
import { repositoryRoot } from "../../../names/repository-root";
import { PARTS } from "../../../rehearsal/parts/parts";
import { pinnedVersion } from "../../../rehearsal/parts/pins";

interface Row {
  readonly part: string;
  readonly component: string;
  readonly difference?: { readonly tested: string; readonly installed: string; readonly why: string };
}

const ROWS: readonly Row[] = tested.parts;
const PROOF = readFileSync(join(repositoryRoot(), "docs", "proof.md"), "utf8");

/** Names of parts that stand for nothing which an environment installs: tools, kinds of clusters, and what an upgrade starts from. */
const TOOLS = [
  "openssh-client",
  "make",
  "sudo",
  "busybox",
  "cloud-init",
  "checkov",
  "cloudsplaining",
  "crane",
  "envoy-1.39.0",
  "envoy-1.39.3",
  "envoy-gateway-1.9.0",
  "etcd",
  "helm",
  "helm-4",
  "iproute2",
  "kube-score",
  "kubeconform",
  "kine",
  "kubernetes",
  "kustomize",
  "kwok",
  "minio-client",
  "moto",
  "openssh-server",
  "parliament",
  "pulumi",
  "schemathesis",
  "shellcheck",
  "tmux",
  "transformers",
];

function testedVersion(name: string): string {
  const part = PARTS.find((each) => each.name === name);
  const version = part && pinnedVersion(part);
  if (version === undefined) {
    throw new Error(`no part ${name} with a pinned version`);
  }
  return version;
}

function installedTag(component: string): string {
  const found = images.find((image) => image.component === component);
  if (found === undefined) {
    throw new Error(`no image of ${component} in the catalogue`);
  }
  return found.tag;
}

describe("parts that environments install", () => {
  it.each(ROWS)(
    "$part for $component: the version is the same, or the difference is named",
    ({ part, component, difference }) => {
      const versions = { tested: testedVersion(part), installed: installedTag(component) };
      if (difference === undefined) {
        const [installed = ""] = /\d+\.\d+\.\d+/.exec(versions.installed) ?? [];
        expect(versions.tested).toBe(installed);
      } else {
        expect(difference).toMatchObject(versions);
        expect(PROOF).toContain(
          `| ${part} | \`${versions.tested}\` | ${component} \`${versions.installed}\` | ${difference.why} |`,
        );
      }
    },
  );

  it("are all here, besides tools and what a distribution brings", () => {
    const { why: _why, ...distribution } = tested.distribution;
    const known = [...ROWS.map(({ part }) => part), ...Object.keys(distribution), ...TOOLS];
    expect(PARTS.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([]);
    expect(known.filter((name) => !PARTS.some((part) => part.name === name))).toEqual([]);
  });
});
