import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PrometheusRule } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule";
import { describe, expect, it } from "vitest";
import { exportedLabel } from "../../../components/observability/rules/models";
import { prometheusRules } from "../../../components/observability/rules/prometheus-rules";
import { ruleGroups, runbookAnchor } from "../../../components/observability/rules/rule-groups";
import { RULE_SUBJECTS } from "../../../components/observability/rules/subjects";
import { deploy } from "../../harness/deploy";
import { ALL_SUBJECTS } from "./all-subjects";
import { exposedSeries, metricNames, recordedSeries } from "./metric-names";

const subjects = ALL_SUBJECTS;
const alerts = subjects.flatMap((subject) => subject.alerts);
const recordings = subjects.flatMap((subject) => subject.recording);
const runbook = readFileSync(join(__dirname, "../../../docs/operations.md"), "utf8");
const known = new Set([...(await exposedSeries()), ...recordedSeries()]);

function seriesNames(series: Readonly<Record<string, string>>): string[] {
  return [...new Set(Object.keys(series).map((selector) => selector.replace(/\{.*/, "")))];
}

describe("alerts", () => {
  it("have names of their own", () => {
    const names = alerts.map(({ alert }) => alert);
    expect(new Set(names).size).toBe(names.length);
    expect(names.every((name) => /^[A-Z][A-Za-z]+$/.test(name))).toBe(true);
  });

  it.each(alerts)("$alert reads only series that exist, in the rule and in its cases", ({ expr, cases }) => {
    expect(metricNames(expr).filter((name) => !known.has(name))).toEqual([]);
    expect(metricNames(expr)).not.toEqual([]);
    for (const { series } of [cases.fires, cases.quiet]) {
      expect(seriesNames(series).filter((name) => !known.has(name))).toEqual([]);
    }
  });

  it.each(alerts)("$alert is quiet on the same series that fire it, with other values", ({ cases }) => {
    const quiet = new Set(seriesNames(cases.quiet.series));
    expect(seriesNames(cases.fires.series).some((name) => quiet.has(name))).toBe(true);
    expect(cases.quiet.series).not.toEqual(cases.fires.series);
  });

  it.each(alerts)("$alert uses only labels in its texts that it has", ({ summary, description, cases }) => {
    const used = [...`${summary} ${description}`.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
    const given = Object.keys(cases.fires.labels);
    expect(used.filter((label) => label !== undefined && !given.includes(label))).toEqual([]);
  });

  it.each(alerts)("$alert has a runbook entry with meaning, impact, diagnosis and fix", ({ alert, severity }) => {
    const entry = runbook.split(/^### /m).find((section) => section.startsWith(`${alert}\n`)) ?? "";
    for (const part of ["**Meaning.**", "**Impact.**", "**Diagnosis.**", "**Fix.**", `Severity: ${severity}`]) {
      expect(entry, `${alert} lacks ${part} in docs/operations.md`).toContain(part);
    }
    expect(entry).toMatch(/```sh\n[^`]+```/);
  });

  it("all have their entry, and the runbook has no entry without an alert", () => {
    const entries = [...runbook.matchAll(/^### ([A-Z][A-Za-z]+)$/gm)].map(([, name]) => name);
    expect(entries.sort()).toEqual(alerts.map(({ alert }) => alert).sort());
  });
});

describe("recording rules", () => {
  it.each(recordings)("$record reads only series that exist", ({ expr, cases }) => {
    expect(metricNames(expr).filter((name) => !known.has(name))).toEqual([]);
    expect(seriesNames(cases.gives.series).filter((name) => !known.has(name))).toEqual([]);
    expect(Object.keys(cases.gives.samples).length).toBeGreaterThan(0);
  });

  it("give the names of the source documents", () => {
    const names = recordedSeries();
    for (const name of [
      "gpu_utilization_percent",
      "gpu_memory_utilization",
      "inference_p99_latency_ms",
      "triton_inference_latency_ms",
      "envoy_upstream_rtt_ms",
      "cpu_queue_length",
    ]) {
      expect(names).toContain(name);
    }
  });

  it("spell Kubernetes labels as kube-state-metrics does", () => {
    expect(exportedLabel("inference-stacks.io/model")).toBe("label_inference_stacks_io_model");
  });
});

describe("the PrometheusRule", () => {
  it("is one valid object with the groups of every subject, whose alerts link into the given runbook", async () => {
    const deployment = await deploy(() =>
      prometheusRules(
        "rules",
        {
          namespace: "observability",
          runbookUrl: "https://git.example/docs/operations.md",
          alerts: ALL_SUBJECTS.filter((subject) => !RULE_SUBJECTS.includes(subject)),
        },
        {},
      ),
    );
    const [{ inputs } = { inputs: {} }, ...others] = deployment.ofKind("PrometheusRule");
    expect(others).toEqual([]);
    const rule = new PrometheusRule(inputs as ConstructorParameters<typeof PrometheusRule>[0]);
    expect(() => rule.validate()).not.toThrow();
    const groups = rule.spec.groups?.map(({ name }) => name) ?? [];
    expect(new Set(groups).size).toBe(groups.length);
    expect(new Set(groups.map((name) => name.replace(/\..*/, "")))).toEqual(
      new Set(subjects.map(({ subject }) => subject)),
    );
    expect(JSON.stringify(inputs)).toContain("https://git.example/docs/operations.md#gpuxiderrors");
  });

  it("puts expressions on one line and drops empty groups", () => {
    const groups = subjects.flatMap((subject) => ruleGroups(subject));
    expect(groups.every(({ rules }) => rules.length > 0)).toBe(true);
    expect(groups.flatMap(({ rules }) => rules).every(({ expr }) => !/\n|\s\s/.test(expr))).toBe(true);
    expect(runbookAnchor("GpuXidErrors")).toBe("gpuxiderrors");
  });
});
