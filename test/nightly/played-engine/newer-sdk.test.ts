import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { repositoryRoot } from "../../../names/repository-root";
import { installNode, installPackage, nodeIn } from "../../../scripts/install-package";
import { copySources } from "../../e2e/engine/project";
import { failedClusterTests } from "../../e2e/played-engine/failed-cluster";

/** package.json stays at 3.248.0, the last release for Node 20. Releases from 3.256 on answer with values that older ones do not know. */
const RELEASES = { node: "22", sdk: "3.276.0" } as const;

const folder = mkdtempSync(join(tmpdir(), "newer-sdk-"));
const start = { root: "", node: nodeIn(join(folder, "node")) };

beforeAll(() => {
  installNode(join(folder, "node"), RELEASES.node);
  installPackage(join(folder, "sdk"), `@pulumi/pulumi@${RELEASES.sdk}`);
  start.root = copySources(folder);
  replaceSdk(join(start.root, "node_modules"), join(folder, "sdk", "node_modules", "@pulumi", "pulumi"));
});

afterAll(() => rmSync(folder, { recursive: true }));

it("runs these releases", () => {
  const script = 'console.log(process.versions.node, require("@pulumi/pulumi/package.json").version)';
  const { stdout } = spawnSync(start.node, ["-e", script], { cwd: start.root, encoding: "utf8" });
  expect(stdout).toMatch(new RegExp(`^${RELEASES.node}[.].* ${RELEASES.sdk}\n$`));
});

failedClusterTests("aws-prod", "aws:eks/cluster:Cluster", ["aws:eks/nodeGroup:NodeGroup"], () => start);

/** Bundles hold all packages but the SDK, and find that in their checkout. */
function replaceSdk(packages: string, sdk: string): void {
  const installed = join(repositoryRoot(), "node_modules");
  const link = (folder: string, names: readonly string[]) => {
    mkdirSync(join(packages, folder));
    for (const name of names) {
      symlinkSync(join(installed, folder, name), join(packages, folder, name));
    }
  };
  unlinkSync(packages);
  link(
    "",
    readdirSync(installed).filter((name) => name !== "@pulumi"),
  );
  link(
    "@pulumi",
    readdirSync(join(installed, "@pulumi")).filter((name) => name !== "pulumi"),
  );
  symlinkSync(sdk, join(packages, "@pulumi", "pulumi"));
}
