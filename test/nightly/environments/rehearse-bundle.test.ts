import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { bundleNeeds } from "../../../bundle/needs";
import { repositoryRoot } from "../../../names/repository-root";
import { writeBundle } from "../../bundle/folder";
import { environmentIn, useFolder } from "../../cli/run";
import { reportOf } from "../../e2e/rehearse/report-of";
import { programRun } from "../../stacks/run";

const folder = useFolder();

describe("npm run rehearse of an environment with a bundle", { timeout: 300_000 }, () => {
  it("gives the Jobs that copy models the volume that is on the disk of the machine of that name", async () => {
    const root = join(folder, "bundle");
    writeBundle(root, bundleNeeds(await programRun("edge-nvidia")));
    const environment = parse(readFileSync(join(repositoryRoot(), "Pulumi.edge-nvidia.yaml"), "utf8"));
    environment.config["inference-stacks:cluster"].k3s = { bundle: root };
    const { status, report } = await reportOf("site", "--config", environmentIn(folder, stringify(environment)));
    expect(report.objects.refused).toEqual([]);
    expect(report.findings.filter(({ severity }) => severity === "broken")).toEqual([]);
    expect([status, report.ok]).toEqual([0, true]);
    expect(report.nodes).toEqual([{ name: "workstation", pool: "workstation" }]);
    const synced = report.workloads.filter(({ name }) => name.startsWith("sync-"));
    expect(synced.map(({ name, readyReplicas }) => [name, readyReplicas])).toEqual([
      ["sync-chat", 1],
      ["sync-writer", 1],
    ]);
  });
});
