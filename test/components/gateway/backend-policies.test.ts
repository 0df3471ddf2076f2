import { describe, expect, it } from "vitest";
import { type BackendPart, backendPolicy } from "../../../components/gateway/backend-policies";
import type { ModelEndpoint } from "../../../components/serving/endpoint";
import { crdProblems } from "../../harness/crds";
import { type Deployment, deploy } from "../../harness/deploy";
import { deployGateway, ENDPOINTS, endpoint, specOf } from "./fixture";

const triton = endpoint("ranking", {
  engine: "triton",
  task: "rerank",
  ports: { "kserve-http": 8000, "kserve-grpc": 8001 },
});

const made = (parts: readonly (BackendPart | undefined)[]) =>
  deploy(() =>
    backendPolicy(
      "policy",
      {
        namespace: "gateway",
        name: "model-chat",
        labels: {},
        routes: [{ kind: "HTTPRoute", name: "path-chat" }],
        parts,
      },
      {},
    ),
  );

interface Spec {
  readonly mergeType?: string;
  readonly targetRefs: readonly { readonly kind: string; readonly name: string }[];
  readonly healthCheck?: { readonly active: { readonly http: { readonly path: string } } };
}

const ofRoutes = (deployment: Deployment) =>
  deployment
    .ofKind("BackendTrafficPolicy")
    .map(({ inputs }) => inputs.spec as unknown as Spec)
    .filter(({ targetRefs }) => targetRefs.every(({ kind }) => kind !== "Gateway"));

describe("the policy of a route", () => {
  it("puts parts together and adds them to the listener's policy", async () => {
    const deployment = await made([
      undefined,
      { healthCheck: { panicThreshold: 50 } },
      { loadBalancer: { type: "LeastRequest" } },
    ]);
    expect(specOf(deployment, "BackendTrafficPolicy", "model-chat")).toEqual({
      targetRefs: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", name: "path-chat" }],
      mergeType: "StrategicMerge",
      healthCheck: { panicThreshold: 50 },
      loadBalancer: { type: "LeastRequest" },
    });
  });

  it("is not made for nothing", async () => {
    await expect(made([undefined, {}])).rejects.toThrow("registered no resource");
  });

  it("takes no key from two concerns", async () => {
    const loadBalancer = { type: "LeastRequest" } as const;
    await expect(made([{ loadBalancer }, { loadBalancer }])).rejects.toThrow("two concerns set loadBalancer");
  });

  it("is the only one of that route, and fits its CRD", async () => {
    const { deployment } = await deployGateway({ endpoints: [...ENDPOINTS.slice(0, 2), triton] });
    const routes = ofRoutes(deployment).flatMap(({ targetRefs }) =>
      targetRefs.map(({ kind, name }) => `${kind} ${name}`),
    );
    expect(routes.toSorted()).toEqual([
      "HTTPRoute grpc-ranking",
      "HTTPRoute grpc-ranking.stream",
      "HTTPRoute kserve-ranking",
      "HTTPRoute model-embeddings",
      "HTTPRoute model-legal",
    ]);
    const whole = ofRoutes(deployment).filter(({ mergeType }) => mergeType !== "StrategicMerge");
    expect(whole.flatMap(({ targetRefs }) => targetRefs.map(({ name }) => name))).toEqual(["grpc-ranking.stream"]);
    const problems = await Promise.all(
      deployment.ofKind("BackendTrafficPolicy").map(({ inputs }) => crdProblems(inputs)),
    );
    expect(problems.flat()).toEqual([]);
  });
});

describe("health checks", () => {
  const pathOf = async (endpoints: readonly ModelEndpoint[], policy: string) => {
    const { deployment } = await deployGateway({ endpoints });
    return (specOf(deployment, "BackendTrafficPolicy", policy) as unknown as Spec).healthCheck?.active.http.path;
  };

  it.each([
    ["vllm", "/v1/models"],
    ["ollama", "/api/version"],
    ["tgi", "/health"],
    ["ray", "/v1/models"],
  ] as const)("ask %s where it says that it has its model", async (engine, path) => {
    expect(await pathOf([endpoint("chat", { engine })], "model-chat")).toBe(path);
  });

  it("ask an engine with KServe's API alone", async () => {
    expect(await pathOf([triton], "kserve-ranking")).toBe("/v2/health/ready");
  });

  it("ask nobody where a canary on another engine says it elsewhere", async () => {
    const revisionOf = { model: "chat", weight: 10 };
    const of = (engine: ModelEndpoint["engine"]) => [endpoint("chat"), endpoint("next", { revisionOf, engine })];
    expect(await pathOf(of("vllm"), "model-chat")).toBe("/v1/models");
    const { deployment } = await deployGateway({ endpoints: of("tgi") });
    // The canary's own path leads to it alone.
    expect(ofRoutes(deployment).map(({ targetRefs }) => targetRefs.map(({ name }) => name))).toEqual([["model-next"]]);
  });

  it("ask no server of others", async () => {
    const outside = [
      {
        name: "theirs",
        names: ["theirs"],
        task: "chat",
        ownedBy: "example.com",
        upstream: { host: "example.com", port: 443, path: "/v1" },
        outside: { address: { url: "https://example.com/v1" } },
      },
    ] as const;
    const { deployment } = await deployGateway({ endpoints: [], outside });
    expect(ofRoutes(deployment)).toEqual([]);
  });
});
