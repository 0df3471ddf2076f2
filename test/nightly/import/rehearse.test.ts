/** Environments that were imported, on a real control plane: every object accepted, every pod in its place. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { importFixtures } from "../../cli/import/imported";
import { useFolder } from "../../cli/run";
import { reportOf } from "../../e2e/rehearse/report-of";

const folder = useFolder();

const IMPORTED = [
  {
    name: "a 405B recipe over two nodes",
    files: ["oci-recipe/rdma-pool.json", "oci-recipe/rdma-inference.json"],

    groups: [{ size: 2, complete: true, onePodPerNode: true }],
  },
  { name: "values of production-stack with LoRA", files: ["production-stack/lora.yaml"], groups: [] },
  { name: "a service of KServe", files: ["kserve-inference-service/huggingface.yaml"], groups: [] },
] as const;

describe("npm run rehearse, of what npm run import wrote", { timeout: 600_000 }, () => {
  it.each(IMPORTED)("$name", async ({ name, files, groups }) => {
    const { settled } = await importFixtures(files);
    expect(settled?.decision, name).toMatchObject({ kind: "planned", refusals: [] });
    const file = join(folder, "Pulumi.imported.yaml");
    writeFileSync(file, settled?.text ?? "");

    const { status, report } = await reportOf("imported", "--config", file);
    expect(report.objects.refused).toEqual([]);
    expect(report.objects.applied).toBeGreaterThan(0);
    expect(report.workloads.filter(({ readyReplicas, replicas }) => readyReplicas < replicas)).toEqual([]);
    expect(report.workloads.map(({ model }) => model)).toEqual(
      expect.arrayContaining(settled?.models.map(({ key }) => key) ?? []),
    );
    expect(report.groups).toMatchObject(groups);
    expect(status).toBe(report.ok ? 0 : 1);
    expect(report.findings.filter(({ severity, rule }) => severity === "broken" && rule !== "drain")).toEqual([]);
  });
});
