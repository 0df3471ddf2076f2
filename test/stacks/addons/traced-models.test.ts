import { describe, expect, it } from "vitest";
import { OTLP_PORTS } from "../../../names/trace-receiver";
import type { ModelPlan } from "../../../planner/types";
import { reportsSpans, tracedModels } from "../../../stacks/addons/traced-models";

const receiver = { host: "collector.example", ...OTLP_PORTS };
const model = (part: Partial<ModelPlan>) =>
  ({ name: "chat", engine: "vllm", engineVersion: "0.33.0", ...part }) as ModelPlan;

describe("models whose spans have a receiver", () => {
  it("send them by the engine's own flag, each under the model's name", () => {
    const [traced] = tracedModels([model({ env: { A: "1" } })], receiver);
    expect(traced?.args).toEqual({ "otlp-traces-endpoint": "http://collector.example:4318/v1/traces" });
    expect(traced?.env).toEqual({
      A: "1",
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/protobuf",
      OTEL_SERVICE_NAME: "chat",
    });
  });

  it("send none of Triton's tensors, and none of requests without a trace", () => {
    const [traced] = tracedModels([model({ engine: "triton", engineVersion: "26.07" })], receiver);
    expect(traced?.args?.["trace-config"]).toEqual(
      expect.arrayContaining(["mode=opentelemetry", "rate=0", "level=TIMESTAMPS"]),
    );
  });

  it("keep what their user wrote of traces", () => {
    const args = { "otlp-traces-endpoint": "http://mine:4317" };
    expect(tracedModels([model({ args })], receiver)[0]).toMatchObject({ args });
  });

  it("tell their node's Envoy, whatever the engine", () => {
    const [traced] = tracedModels([model({ engine: "ollama", node: { group: "all" } })], receiver);
    expect(traced?.node).toEqual({ group: "all", traces: receiver });
    expect(traced?.args).toBeUndefined();
    expect(reportsSpans(model({ engine: "ollama" }), receiver)).toBe(false);
    expect(reportsSpans(model({ engine: "ollama", node: { group: "all" } }), receiver)).toBe(true);
  });

  it("are as they were without one", () => {
    const models = [model({})];
    expect(tracedModels(models, undefined)).toBe(models);
  });
});
