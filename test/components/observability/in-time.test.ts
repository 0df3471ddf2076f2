import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { GATEWAY_HISTOGRAMS } from "../../../components/observability/rules/gateway-tokens";
import { laterThan } from "../../../components/observability/rules/in-time";
import { VLLM_BOUNDS } from "../../../engines/vllm/histogram-bounds";

const histogram = { series: "x_seconds", bounds: [0.25, 0.5, 1] };
const late = (seconds: number) => laterThan(seconds, histogram, (series, labels) => `${series}{${labels ?? ""}}`);

function fixture(name: string) {
  return JSON.parse(readFileSync(join(__dirname, "../../fixtures/upstream", name), "utf8"));
}

describe("requests later than a time", () => {
  it("are all without those of the bucket that ends there", () => {
    expect(late(0.5)).toBe(String.raw`x_seconds_count{} - x_seconds_bucket{le=~"0\\.5"}`);
  });

  it("share the bucket that the time lies in", () => {
    expect(late(0.3)).toBe(
      String.raw`x_seconds_count{} - 0.8 * x_seconds_bucket{le=~"0\\.25"} - 0.2 * x_seconds_bucket{le=~"0\\.5"}`,
    );
  });

  it("share the first bucket, which begins at 0", () => {
    expect(late(0.05)).toBe(String.raw`x_seconds_count{} - 0.2 * x_seconds_bucket{le=~"0\\.25"}`);
  });

  it("are those above the last bound, however exporters write it", () => {
    expect(late(3)).toBe(String.raw`x_seconds_count{} - x_seconds_bucket{le=~"1(\\.0)?"}`);
  });
});

describe("bounds of buckets", () => {
  it("are vLLM's", () => {
    const { bucketFamilies, metrics } = fixture("vllm-metrics.json");
    const boundsOf = (name: string) =>
      bucketFamilies[metrics.find((metric: { name: string }) => metric.name === name).bucketFamily];
    expect(VLLM_BOUNDS).toEqual({
      timeToFirstTokenSeconds: boundsOf("vllm:time_to_first_token_seconds"),
      meanTokenSeconds: boundsOf("vllm:request_time_per_output_token_seconds"),
    });
  });

  it("are the gateway's", () => {
    const { metrics } = fixture("ai-gateway-metrics.json");
    for (const { series, bounds } of Object.values(GATEWAY_HISTOGRAMS)) {
      expect(metrics.find(({ name }: { name: string }) => name === series)?.bounds).toEqual(bounds);
    }
  });
});
