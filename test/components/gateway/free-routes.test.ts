import { describe, expect, it } from "vitest";
import { patternsOf } from "../../../components/gateway/header-patterns";
import { tenantsOf } from "../../../planner/tenants";
import { crdProblems } from "../../harness/crds";
import { deployGateway, specOf } from "./fixture";

const consumers = { app: {}, trial: { priority: "free" }, "hobby-1": { priority: "free" } } as const;

interface Rule {
  readonly matches: readonly { readonly headers: readonly { readonly name: string; readonly value: string }[] }[];
  readonly backendRefs: readonly object[];
}
interface Route {
  readonly rules: readonly Rule[];
}
interface Policy {
  readonly targetRefs: readonly object[];
  readonly circuitBreaker: object;
}

describe("free consumers", () => {
  const deployed = () => deployGateway({ tenants: tenantsOf(consumers) });

  it("have a route of their own to each model, by one header more, and one rule for both ways", async () => {
    const { deployment } = await deployed();
    const own = specOf(deployment, "AIGatewayRoute", "free-legal") as unknown as Route;
    const all = specOf(deployment, "AIGatewayRoute", "model-legal") as unknown as Route;
    expect(own.rules.map(({ matches }) => matches)).toEqual([
      [
        {
          headers: [
            { type: "RegularExpression", name: "x-ai-eg-model", value: "meta-llama/Llama-3\\.1-8B-Instruct" },
            { type: "RegularExpression", name: "x-consumer-id", value: "trial|hobby-1" },
          ],
        },
        {
          headers: [
            { type: "Exact", name: "x-path-model", value: "legal" },
            { type: "RegularExpression", name: "x-ai-eg-model", value: "meta-llama/Llama-3\\.1-8B-Instruct" },
            { type: "RegularExpression", name: "x-consumer-id", value: "trial|hobby-1" },
          ],
        },
      ],
    ]);
    expect(own.rules[0]?.backendRefs).toEqual(all.rules[0]?.backendRefs);
  });

  it("find no way around a path's own model", async () => {
    const { deployment } = await deployed();
    const { rules } = specOf(deployment, "HTTPRoute", "other-model") as unknown as Route;
    const names = rules[0]?.matches.map(({ headers }) => headers.map(({ name }) => name));
    expect(names).toEqual([
      ["x-path-model", "x-ai-eg-model"],
      ["x-path-model", "x-ai-eg-model", "x-consumer-id"],
    ]);
  });

  it("have few places, and are never tried again", async () => {
    const { deployment } = await deployed();
    const policy = specOf(deployment, "BackendTrafficPolicy", "free-legal") as unknown as Policy;
    const places = { maxConnections: 1024, maxPendingRequests: 4, maxParallelRequests: 4, maxParallelRetries: 1 };
    expect(policy).toMatchObject({
      targetRefs: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", name: "free-legal" }],
      mergeType: "StrategicMerge",
      // 8 of all proxies together, which are two.
      circuitBreaker: places,
      retry: { numRetries: 0 },
      admissionControl: { samplingWindow: "10s", minSuccessRate: 95, maxRejectionPercent: 95 },
    });
    for (const { inputs } of deployment.ofKind("BackendTrafficPolicy")) {
      expect(crdProblems(inputs)).toEqual([]);
    }
  });

  it("change nothing where there are none", async () => {
    const { deployment } = await deployGateway();
    const names = ["AIGatewayRoute", "BackendTrafficPolicy"].flatMap((kind) =>
      deployment.ofKind(kind).map(({ inputs }) => (inputs.metadata as { readonly name: string }).name),
    );
    expect(names.filter((name) => name.startsWith("free-"))).toEqual([]);
    const { rules } = specOf(deployment, "HTTPRoute", "other-model") as unknown as Route;
    expect(rules[0]?.matches).toHaveLength(1);
  });
});

describe("patterns of header values", () => {
  it("match each value, whatever it is made of, and nothing else", () => {
    const values = ["a.b", "c+d/e", "f(g)", "h|i", "j-1"];
    const [pattern = "", ...others] = patternsOf(values);
    expect(others).toEqual([]);
    const whole = new RegExp(`^(?:${pattern})$`);
    expect(values.filter((value) => !whole.test(value))).toEqual([]);
    expect(["aXb", "h", "i", "j-12", ""].filter((value) => whole.test(value))).toEqual([]);
  });

  it("are as few as fit a route", () => {
    const values = Array.from({ length: 300 }, (_, i) => `${"x".repeat(36)}-${String(i).padStart(3, "0")}`);
    const patterns = patternsOf(values);
    expect(patterns).toHaveLength(4);
    expect(Math.max(...patterns.map(({ length }) => length))).toBeLessThanOrEqual(4096);
    expect(patterns.join("|")).toBe(values.join("|"));
  });
});
