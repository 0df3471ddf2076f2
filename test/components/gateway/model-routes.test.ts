import { describe, expect, it } from "vitest";
import { crdProblems } from "../../harness/crds";
import type { Deployment } from "../../harness/deploy";
import { metadataOf } from "../../stacks/kubernetes";
import { deployGateway, endpoint, specOf } from "./fixture";

const PARENT = { group: "gateway.networking.k8s.io", kind: "Gateway", name: "inference", sectionName: "https" };

describe("ModelRoutes", () => {
  it("routes by the model field of the body", async () => {
    const { deployment } = await deployGateway();
    expect(specOf(deployment, "AIGatewayRoute", "model-legal")).toEqual({
      parentRefs: [PARENT],
      rules: [
        {
          matches: [{ headers: [{ type: "Exact", name: "x-ai-eg-model", value: "meta-llama/Llama-3.1-8B-Instruct" }] }],
          backendRefs: [{ name: "legal", priority: 0, weight: 1 }],
          timeouts: { request: "3600s" },
          modelsOwnedBy: "vllm",
        },
      ],
      llmRequestCosts: [
        { metadataKey: "llm_input_token", type: "InputToken" },
        { metadataKey: "llm_output_token", type: "OutputToken" },
        { metadataKey: "llm_total_token", type: "TotalToken" },
      ],
    });
    expect(specOf(deployment, "AIServiceBackend", "legal")).toEqual({
      schema: { name: "OpenAI", prefix: "/v1" },
      backendRef: { group: "gateway.envoyproxy.io", kind: "Backend", name: "legal" },
    });
    expect(specOf(deployment, "Backend", "embeddings")).toEqual({
      endpoints: [{ fqdn: { hostname: "embeddings-server.model-embeddings.svc.cluster.local", port: 11434 } }],
    });
  });

  it("routes further names of an endpoint to the same backend", async () => {
    const endpoints = [endpoint("legal", { servedName: "llama", otherNames: ["contracts", "court/rulings"] })];
    const { deployment } = await deployGateway({ endpoints });
    expect(specOf(deployment, "AIGatewayRoute", "model-legal")).toMatchObject({
      rules: [
        {
          matches: ["llama", "contracts", "court/rulings"].map((value) => ({
            headers: [{ type: "Exact", name: "x-ai-eg-model", value }],
          })),
          backendRefs: [{ name: "legal", priority: 0, weight: 1 }],
        },
      ],
    });
  });

  describe("of a model with a canary", () => {
    const routed = async (weight: number) => {
      const canary = endpoint("legal-canary", { servedName: "legal", revisionOf: { model: "legal", weight } });
      return deployGateway({ endpoints: [endpoint("legal"), canary, endpoint("other")] });
    };
    const refs = (deployment: Deployment, kind: string, name: string) =>
      (specOf(deployment, kind, name) as { rules: { backendRefs: object[] }[] }).rules.map((rule) => rule.backendRefs);

    it.each([0, 20, 100])("share its requests on both ways: %i percent", async (weight) => {
      const { deployment } = await routed(weight);
      expect(refs(deployment, "AIGatewayRoute", "model-legal")).toEqual([
        [
          { name: "legal", priority: 0, weight: 100 - weight },
          { name: "legal-canary", priority: 0, weight },
        ],
      ]);
      const group = { group: "gateway.envoyproxy.io", kind: "Backend" };
      expect(refs(deployment, "HTTPRoute", "path-legal")).toEqual([
        [
          { ...group, name: "legal", weight: 100 - weight },
          { ...group, name: "legal-canary", weight },
        ],
      ]);
    });

    it("lead to the canary alone by its path, and by no name of its own", async () => {
      const { deployment, gateway } = await routed(0);
      expect(refs(deployment, "HTTPRoute", "path-legal-canary")).toEqual([
        [{ group: "gateway.envoyproxy.io", kind: "Backend", name: "legal-canary", weight: 1 }],
      ]);
      const routes = deployment.ofKind("AIGatewayRoute").map((route) => metadataOf(route).name);
      expect(routes.sort()).toEqual(["model-legal", "model-other"]);
      expect(Object.keys(gateway.models)).toEqual(["legal", "other"]);
      for (const kind of ["AIGatewayRoute", "AIServiceBackend", "Backend", "HTTPRoute"]) {
        expect(deployment.ofKind(kind).flatMap(({ inputs }) => crdProblems(inputs))).toEqual([]);
      }
    });
  });

  it("speaks Cohere's API to rerankers, since OpenAI has none", async () => {
    const { deployment } = await deployGateway();
    expect(specOf(deployment, "AIServiceBackend", "ranking")).toMatchObject({
      schema: { name: "Cohere", version: "v2" },
    });
  });

  it("gives each model a base URL of its own, with nothing but /v1 behind it", async () => {
    const { deployment } = await deployGateway();
    expect(specOf(deployment, "HTTPRoute", "path-legal")).toEqual({
      parentRefs: [PARENT],
      rules: [
        {
          matches: [{ path: { type: "PathPrefix", value: "/legal/v1" } }],
          filters: [
            {
              type: "URLRewrite",
              urlRewrite: {
                hostname: "legal-server.model-legal.svc.cluster.local",
                path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/v1" },
              },
            },
            {
              type: "RequestHeaderModifier",
              requestHeaderModifier: { set: [{ name: "x-ai-eg-model", value: "meta-llama/Llama-3.1-8B-Instruct" }] },
            },
          ],
          backendRefs: [{ group: "gateway.envoyproxy.io", kind: "Backend", name: "legal", weight: 1 }],
          timeouts: { request: "3600s" },
        },
      ],
    });
  });

  it("keeps all of a gateway's resources in its namespace, so that no reference needs a grant", async () => {
    const { deployment } = await deployGateway();
    const routes = ["Backend", "AIServiceBackend", "AIGatewayRoute", "HTTPRoute"].flatMap((kind) =>
      deployment.ofKind(kind),
    );
    expect(routes).toHaveLength(13);
    expect(new Set(routes.map(({ inputs }) => (inputs.metadata as { namespace: string }).namespace))).toEqual(
      new Set(["inference-gateway"]),
    );
  });

  it("has no limit of 15 models, and adding one touches no other", async () => {
    const models = Array.from({ length: 20 }, (_, i) => endpoint(`model-${i}`));
    const twenty = await deployGateway({ endpoints: models });
    const nineteen = await deployGateway({ endpoints: models.slice(1) });
    expect(twenty.deployment.ofKind("AIGatewayRoute")).toHaveLength(20);
    const inputs = (kind: string, { deployment }: typeof twenty): Map<string, unknown> =>
      new Map(deployment.ofKind(kind).map((r) => [r.name, r.inputs]));
    for (const kind of ["AIGatewayRoute", "AIServiceBackend", "Backend", "HTTPRoute"]) {
      const before = inputs(kind, nineteen);
      const after = inputs(kind, twenty);
      expect([...before].filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(after.get(name)))).toEqual(
        [],
      );
      expect(twenty.deployment.ofKind(kind).flatMap((r) => crdProblems(r.inputs))).toEqual([]);
    }
  });

  it("does not confuse models whose names contain each other", async () => {
    const { deployment } = await deployGateway({ endpoints: [endpoint("path-a"), endpoint("a"), endpoint("model-a")] });
    expect(
      deployment
        .ofKind("HTTPRoute")
        .map(({ inputs }) => (inputs.metadata as { name: string }).name)
        .sort(),
    ).toEqual(["path-a", "path-model-a", "path-path-a", "redirect-to-https"]);
    expect(
      deployment
        .ofKind("AIGatewayRoute")
        .map(({ inputs }) => (inputs.metadata as { name: string }).name)
        .sort(),
    ).toEqual(["model-a", "model-model-a", "model-path-a"]);
  });
});
