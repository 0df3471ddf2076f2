/** PromQL outside of rules and dashboards: commands, triggers, pages, and what model control reads of engines. */
import { describe, expect, it } from "vitest";
import { gather, seriesNames } from "../../../cli/calibrate/gather";
import { costQueries } from "../../../cli/cost/figures";
import { Prometheus } from "../../../cli/prometheus/client";
import type { HttpClient } from "../../../cli/smoke/http";
import { askMetrics } from "../../../cli/top/metrics";
import { triggers } from "../../../components/autoscaling/triggers";
import { ENGINES } from "../../../engines/table";
import { SIGNAL_SERIES } from "../../../names/recorded-series";
import type { ScalingSignalName } from "../../../planner/scaling";
import { VLLM_SERIES } from "../../../services/model-control/src/backends/vllm";
import { modelPlan, ollamaPlan } from "../../harness/plans";
import { scaledModel, scalingPlan, sleepingPlan } from "../autoscaling/scaled";
import { documentedQueries, documentedSeries } from "./documented-queries";
import { exposedMetrics, exposedSeries, metricNames, recordedSeries } from "./metric-names";

const known = new Set([...(await exposedSeries()), ...recordedSeries()]);
const metrics = new Set([...known, ...(await exposedMetrics())]);

/** Queries that reach a Prometheus without any sample. */
async function queriesOf(ask: (prometheus: Prometheus) => Promise<unknown>): Promise<string[]> {
  const queries: string[] = [];
  const http: Pick<HttpClient, "request"> = {
    request: async (_, path) => {
      queries.push(new URL(path, "http://prometheus.test").searchParams.get("query") ?? "");
      return { status: 200, text: JSON.stringify({ data: { result: [] } }) };
    },
  };
  await ask(new Prometheus(http as HttpClient));
  return queries;
}

function expectHeld(queries: readonly string[]): void {
  expect(queries).not.toEqual([]);
  for (const query of queries) {
    // Envoy moves what follows the dot of a route's name into the series (names/model-routes.ts).
    const names = metricNames(query).map((name) => name.replace(/^envoy_cluster_stream_rule_0_/, "envoy_cluster_"));
    expect(names, query).not.toEqual([]);
    expect(
      names.filter((name) => !known.has(name)),
      query,
    ).toEqual([]);
  }
}

const { signal } = new AbortController();

describe("commands ask for series that exist", () => {
  it("top", async () => {
    expectHeld(await queriesOf((prometheus) => askMetrics(prometheus, signal)));
  });

  it("cost", () => {
    expectHeld(Object.values(costQueries(30)));
  });

  const engines = Object.keys(ENGINES) as (keyof typeof ENGINES)[];
  it.each(
    engines.flatMap((engine) => [seriesNames({ engine })].flatMap((names) => (names ? [{ engine, names }] : []))),
  )("calibrate of $engine", async ({ engine, names }) => {
    const window = { start: 0, end: 3600, step: 60 };
    expectHeld(await queriesOf((prometheus) => gather(prometheus, { name: "chat", engine }, names, window, signal)));
  });
});

describe("autoscaling asks for series that exist", () => {
  const on: readonly ScalingSignalName[] = ["queue", "kvCache", ...(Object.keys(SIGNAL_SERIES) as ScalingSignalName[])];
  const signals = on.map((name) => ({ on: name, target: 1 }));
  const plans = { vllm: modelPlan(), ollama: ollamaPlan(), triton: modelPlan({ engine: "triton" }) };
  const cases = Object.entries(plans).flatMap(([engine, plan]) =>
    [scalingPlan, sleepingPlan].map((scaling) => ({ engine, plan, scaling, name: scaling.name })),
  );

  it.each(cases)("triggers of $engine by $name", ({ engine, plan, scaling }) => {
    const followed = signals.filter((each) => each.on !== "kvCache" || engine === "vllm");
    const all = triggers(scaledModel(scaling({ signals: followed }), plan), "http://prometheus.test");
    expectHeld(all.flatMap(({ metadata }) => ("query" in metadata ? [String(metadata.query)] : [])));
  });
});

describe("model control", () => {
  it("reads series of vLLM that exist", () => {
    expectHeld(Object.values(VLLM_SERIES).flat());
  });
});

describe("pages", () => {
  it.each(documentedQueries())("$page: $text", ({ text }) => {
    expectHeld([text]);
  });

  it("name series and metrics that exist", () => {
    const series = documentedSeries();
    expect(series.length).toBeGreaterThan(20);
    expect(series.filter(({ text }) => !metrics.has(text))).toEqual([]);
  });
});
