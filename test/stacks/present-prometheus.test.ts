/** `observability.prometheus: present`: what the platform brings to an operator that is there, and nothing of a stack of its own. */
import { beforeAll, describe, expect, it } from "vitest";
import { judge } from "../../report/judge";
import { crdProblems } from "../harness/crds";
import type { RecordedResource } from "../harness/deploy";
import { ruleCases } from "./config/rule-cases";
import { rightEnvironment } from "./config/samples";
import { planText, refusalsOf } from "./planned";
import { changedRun, type ProgramRun } from "./run";
import { environmentText, shippedSections, suggestedSections } from "./texts";

const operator = { namespace: "monitoring", labels: { release: "kube-prometheus-stack" } };
const present = { prometheus: "present", operator };

ruleCases([
  [
    "an operator that nobody describes",
    { observability: { prometheus: "present" } },
    { path: "observability.operator", fix: "" },
  ],
  [
    "sizes of a stack that is not installed",
    { observability: { ...present, storageGiB: 20 } },
    { path: "observability.storageGiB", allowed: "only with prometheus platform", fix: "remove storageGiB" },
  ],
  [
    "pages of a Grafana that is not installed",
    { observability: present, logging: {} },
    { path: "observability.prometheus", allowed: "without logging", fix: "platform" },
  ],
  [
    "a Prometheus outside of the mesh",
    { observability: present, mesh: { mode: "ambient" } },
    { path: "observability.prometheus", allowed: "without mesh", fix: "platform" },
  ],
]);

it.each([
  ["existing-prometheus.md", rightEnvironment],
  ["same-cluster.md", { ...shippedSections("aws-prod"), mesh: { mode: "off" } }],
])("docs/%s suggests what can be deployed", async (page, environment) => {
  const all = suggestedSections(page);
  expect(all).not.toEqual([]);
  for (const suggested of all) {
    expect(refusalsOf((await planText(environmentText({ ...environment, ...suggested }))).plan)).toEqual([]);
  }
});

const MONITORING = /monitoring\.coreos\.com/;

describe("beside an operator of others", () => {
  let run: ProgramRun;
  const objects = (kind: string) => run.resources.filter(({ inputs }) => inputs.kind === kind);
  const labelsOf = ({ inputs }: RecordedResource) => (inputs.metadata as { labels: object }).labels;
  beforeAll(async () => {
    run = await changedRun("dev", { observability: present });
  });

  it("there are monitors and rules with its labels, dashboards with those of Grafana's sidecar, and no stack", () => {
    const charts = run.resources.flatMap(({ inputs }) => (typeof inputs.chart === "string" ? [inputs.chart] : []));
    expect(charts.length).toBeGreaterThan(0);
    expect(charts.join()).not.toMatch(/prometheus/);
    const found = run.resources.filter(({ inputs }) => MONITORING.test(String(inputs.apiVersion)));
    expect(found.length).toBeGreaterThan(5);
    expect(found.flatMap(({ inputs }) => crdProblems(inputs))).toEqual([]);
    for (const each of found) {
      expect(labelsOf(each)).toMatchObject(operator.labels);
    }
    const dashboards = objects("ConfigMap").filter(({ name }) => name.includes("dashboards"));
    expect(dashboards.length).toBeGreaterThan(3);
    expect(labelsOf(dashboards[0] ?? expect.fail())).toMatchObject({ grafana_dashboard: "1" });
    expect(run.recording.outputs).not.toHaveProperty("grafana");
  });

  it("its Prometheus is let in where metrics are, and rules look for its kube-state-metrics", () => {
    const policies = JSON.stringify(objects("NetworkPolicy").map(({ inputs }) => inputs));
    expect(policies).toContain('"kubernetes.io/metadata.name":"monitoring"');
    const [rules] = objects("PrometheusRule");
    const text = JSON.stringify(rules?.inputs);
    expect(text).toContain('up{job=\\"kube-state-metrics\\"}');
    expect(text).not.toContain('namespace=\\"observability\\"');
  });

  it("passes the policies", () => {
    const { violations } = judge(run);
    expect(violations.filter(({ severity }) => severity !== "advisory")).toEqual([]);
  });
});
