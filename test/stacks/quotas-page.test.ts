/** docs/tenants.md: its limits can be deployed, and Prometheus is told whose they are. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { repositoryRoot } from "../../names/repository-root";
import { changedRun } from "./run";

const page = readFileSync(join(repositoryRoot(), "docs/tenants.md"), "utf8");
const limits = /^## Limits\n+```yaml\n(.*?)^```$/ms.exec(page)?.[1] ?? "";

it("runs whoever counts, and names the tenant of each rule in its metrics", async () => {
  const gateway = (parse(limits) as Record<string, object>)["inference-stacks:gateway"];
  const { deployment } = await changedRun("oci-a10", { gateway });
  const named = (kind: string, name: string) =>
    deployment.ofKind(kind).filter(({ inputs }) => (inputs.metadata as { name: string }).name === name);
  expect(named("StatefulSet", "rate-limit-store")).toHaveLength(1);
  const [monitor] = named("PodMonitor", "rate-limiter");
  const rename = (place: number, targetLabel: string, replacement: string) => ({
    action: "replace",
    sourceLabels: ["key1"],
    regex: `inference-gateway/.*/rule/${place}`,
    targetLabel,
    replacement,
  });
  expect(monitor?.inputs.spec).toMatchObject({
    selector: { matchLabels: { "app.kubernetes.io/name": "envoy-ratelimit" } },
    podMetricsEndpoints: [
      {
        portNumber: 19001,
        path: "/metrics",
        metricRelabelings: [
          rename(0, "tenant", "web-app"),
          rename(0, "quota", "requests"),
          rename(1, "tenant", "batch"),
          rename(1, "quota", "requests"),
          rename(2, "tenant", "batch"),
          rename(2, "quota", "tokens"),
        ],
      },
    ],
  });
});
