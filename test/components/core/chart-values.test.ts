import { beforeAll, describe, expect, it } from "vitest";
import { chartValueProblems } from "../../../catalog/chart-values";
import { chartReference, charts } from "../../../catalog/charts";
import priorities from "../../../policies/data/chart-priorities.json";
import { podTemplates } from "../../../policies/lib/pods";
import { toResource } from "../../../policies/lib/resource";
import { environments, programRun } from "../../stacks/run";

/** A Helm release of an environment. */
interface Release {
  /** Name of the chart in the catalogue. */
  readonly chart: string;
  readonly values: Readonly<Record<string, unknown>>;
}

interface ReleaseInputs {
  readonly chart: string;
  readonly version: string;
  readonly repositoryOpts?: { readonly repo: string };
  readonly values?: Release["values"];
}

describe.each(environments)("the Helm releases of %s", (environment) => {
  let releases: readonly Release[] = [];
  beforeAll(async () => {
    const { deployment } = await programRun(environment);
    releases = deployment
      .ofType("kubernetes:helm.sh/v3:Release")
      .map(({ inputs }) => inputs as unknown as ReleaseInputs)
      .map((inputs) => ({ chart: catalogueName(inputs), values: inputs.values ?? {} }));
  });

  it("set only values that their charts have", () => {
    expect(releases.length).toBeGreaterThanOrEqual(6);
    expect(releases.flatMap(({ chart, values }) => chartValueProblems(chart, values))).toEqual([]);
  });

  it("are of charts of which somebody has read where their pods' priority class comes from", () => {
    expect(releases.map(({ chart }) => chart).filter((chart) => !(chart in priorities.charts))).toEqual([]);
  });

  it("stand beside pods of the program's own, which all have a priority class", async () => {
    const { resources } = await programRun(environment);
    const pods = resources.flatMap(({ type, name, urn, inputs }) =>
      podTemplates(toResource({ type, name, urn, props: inputs, opts: { protect: false } }, new Set()))
        .filter(({ isPartial }) => !isPartial)
        .map(({ spec }) => ({ name, priority: spec.get("priorityClassName").text() })),
    );
    expect(pods.length).toBeGreaterThan(3);
    expect(pods.filter(({ priority }) => priority === undefined).map(({ name }) => name)).toEqual([]);
  });

  it("fail as a whole or not at all, within ten minutes", async () => {
    const { deployment } = await programRun(environment);
    for (const { inputs } of deployment.ofType("kubernetes:helm.sh/v3:Release")) {
      expect(inputs).toMatchObject({ atomic: true, cleanupOnFail: true, createNamespace: false, timeout: 600 });
    }
  });

  it("would not pass with a letter more in any of their top-level keys", () => {
    const misspelt = releases.flatMap(({ chart, values }) =>
      Object.entries(values).map(([key, value]) => ({ chart, key: `${key}x`, value })),
    );
    expect(misspelt.length).toBeGreaterThan(releases.length);
    for (const { chart, key, value } of misspelt) {
      expect(chartValueProblems(chart, { [key]: value })).toEqual([
        expect.stringContaining(`no value "${key.replaceAll(".", "\\.")}"`),
      ]);
    }
  });

  it("would not pass with a letter more in a key inside", () => {
    const metrics = releases.find(({ chart }) => chart === "kube-prometheus-stack");
    const { prometheus, ...values } = metrics?.values ?? {};
    const { prometheusSpec, ...rest } = prometheus as Record<string, unknown>;
    const misspelt = { ...values, prometheus: { ...rest, prometheusSpecs: prometheusSpec } };
    expect(chartValueProblems("kube-prometheus-stack", misspelt)).toEqual([
      expect.stringMatching(/no value "prometheus\.prometheusSpecs"; the nearest one is "prometheus\.prometheusSpec"$/),
    ]);
  });
});

it("a key with a dot in it is one key, and no part of it is another", () => {
  const problems = (grafana: object) => chartValueProblems("kube-prometheus-stack", { grafana });
  expect(problems({ "grafana.ini": { server: { domain: "example.com" } } })).toEqual([]);
  expect(problems({ "grafana\\": "x" })).toHaveLength(1);
});

/** @throws Error for a chart that the catalogue does not pin. */
function catalogueName({ chart, version, repositoryOpts }: ReleaseInputs): string {
  const found = charts.find(({ name }) => {
    const pinned = chartReference(name);
    return pinned.chart === chart && pinned.version === version && pinned.repositoryOpts?.repo === repositoryOpts?.repo;
  });
  if (found === undefined) {
    throw new Error(`the catalogue does not pin ${chart} ${version}`);
  }
  return found.name;
}
