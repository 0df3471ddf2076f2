/** docs/gpu-sharing.md on the real scheduler: seven models on the slices of one card, and a node with one slice less. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { main } from "../../cli/rehearse";
import { repositoryRoot } from "../../names/repository-root";
import { rehearsalSchema } from "../../rehearsal/report/schema";
import { environmentIn, runPiped, useFolder } from "../cli/run";

const folder = useFolder();
const page = readFileSync(join(repositoryRoot(), "docs/gpu-sharing.md"), "utf8");
const example = parse(/^```yaml\n(.*?)^```$/ms.exec(page)?.[1] ?? "") as Record<string, object>;

it("gives each of seven models a slice of its own", { timeout: 300_000 }, async () => {
  const environment = environmentIn(folder, {
    stage: "development",
    cluster: { kind: "edge", storageClass: "local-path", gpuRuntimeClass: "nvidia" },
    gateway: { hostname: "slices.example.internal", tls: { kind: "self-signed" } },
    pools: example["inference-stacks:pools"],
    models: example["inference-stacks:models"],
  });
  const { status, out, err } = await runPiped(main, ["test", "--config", environment, "--json"]);
  const report = rehearsalSchema.parse(JSON.parse(out));
  expect(report.findings.filter(({ severity }) => severity === "broken")).toEqual([]);
  expect([status, err]).toEqual([0, expect.any(String)]);
  const homes = report.workloads.flatMap(({ model, pods }) => (model ? pods.map(({ node }) => [model, node]) : []));
  expect(homes.map(([model]) => model).sort()).toEqual(Object.keys(example["inference-stacks:models"] ?? {}).sort());
  expect(new Set(homes.map(([, node]) => node))).toEqual(new Set(["h100-0"]));
});
