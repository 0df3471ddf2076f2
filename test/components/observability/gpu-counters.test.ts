import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { GPU_COUNTERS, gpuCounterList } from "../../../components/observability/gpu-counters";

interface Field {
  readonly name: string;
  readonly type: string;
}

const upstream = JSON.parse(readFileSync(join(__dirname, "../../fixtures/upstream/dcgm-metrics.json"), "utf8")) as {
  readonly fields: { readonly names: Field[]; readonly counted: Field[] };
  readonly chartConfigMapCsv: { readonly enabled: Field[] };
};

describe("counters of NVIDIA's exporter", () => {
  it("are those of the chart's list, the reasons of lowered clocks and the counted XIDs, with their types", () => {
    const byName = (fields: readonly Field[]) => fields.map(({ name, type }) => `${name} ${type}`).sort();
    const ours = GPU_COUNTERS.map(([name, type]) => ({ name, type }));
    expect(byName(ours)).toEqual(
      byName([...upstream.chartConfigMapCsv.enabled, ...upstream.fields.names, ...upstream.fields.counted]),
    );
  });

  it("are lines of three fields each, as the exporter reads them", () => {
    for (const line of gpuCounterList().split("\n")) {
      expect(line.split(",").map((field) => field.trim())).toHaveLength(3);
    }
  });
});
