import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CLIENT_PATH } from "../../../components/gateway/access-log";
import { PATH_MODEL_HEADER } from "../../../components/gateway/names";
import { callerScript } from "../../../components/gateway/tenants";
import { repositoryRoot } from "../../../names/repository-root";
import { crdProblems } from "../../harness/crds";
import type { Deployment } from "../../harness/deploy";
import { metadataOf } from "../../stacks/kubernetes";
import { deployGateway, endpoint, specOf } from "./fixture";

const PARENT = { group: "gateway.networking.k8s.io", kind: "Gateway", name: "inference", sectionName: "https" };

interface Spec {
  readonly rules: readonly {
    readonly matches: readonly { readonly headers: readonly { readonly value: string }[] }[];
  }[];
}

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
        {
          matches: [
            {
              headers: [
                { type: "Exact", name: "x-path-model", value: "legal" },
                { type: "RegularExpression", name: "x-ai-eg-model", value: "meta-llama/Llama-3\\.1-8B-Instruct" },
              ],
            },
          ],
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
        {
          matches: [
            {
              headers: [
                { type: "Exact", name: "x-path-model", value: "legal" },
                { type: "RegularExpression", name: "x-ai-eg-model", value: "llama|contracts|court/rulings" },
              ],
            },
          ],
          backendRefs: [{ name: "legal", priority: 0, weight: 1 }],
        },
      ],
    });
  });

  it("fits the longest names of a model into what a route may match", async () => {
    const names = Array.from({ length: 64 }, (_, i) => `${String(i).padStart(3, "0")}.${".".repeat(59)}`);
    const [servedName = "", ...otherNames] = names;
    const { deployment } = await deployGateway({ endpoints: [endpoint("legal", { servedName, otherNames })] });
    const { rules } = specOf(deployment, "AIGatewayRoute", "model-legal") as Spec;
    const patterns = rules[1]?.matches.map(({ headers }) => headers[1]?.value ?? "") ?? [];
    expect(patterns.join("|").split("|")).toEqual(names.map((name) => name.replaceAll(".", "\\.")));
    expect(Math.max(...patterns.map((pattern) => pattern.length))).toBeLessThanOrEqual(4096);
    // The last one is the AI gateway's own; Gateway API 1.6 allows 128.
    expect(rules.flatMap(({ matches }) => matches).length + 1).toBeLessThanOrEqual(128);
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
      const shares = [
        { name: "legal", priority: 0, weight: 100 - weight },
        { name: "legal-canary", priority: 0, weight },
      ];
      expect(refs(deployment, "AIGatewayRoute", "model-legal")).toEqual([shares, shares]);
    });

    it("lead to the canary alone by its path, and by no name of its own", async () => {
      const { deployment, gateway } = await routed(0);
      expect(specOf(deployment, "AIGatewayRoute", "model-legal-canary")).toMatchObject({
        rules: [
          {
            matches: [
              {
                headers: [
                  { type: "Exact", name: "x-path-model", value: "legal-canary" },
                  { type: "RegularExpression", name: "x-ai-eg-model", value: "legal" },
                ],
              },
            ],
            backendRefs: [{ name: "legal-canary", priority: 0, weight: 1 }],
          },
        ],
      });
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

  it("gives each model a base URL of its own, which leads to no engine past the AI gateway's filter", async () => {
    const { deployment } = await deployGateway();
    const notFound = {
      type: "ExtensionRef",
      extensionRef: { group: "gateway.envoyproxy.io", kind: "HTTPRouteFilter", name: "model-not-found" },
    };
    const routes = deployment.ofKind("HTTPRoute").filter((route) => metadataOf(route).name === "path-legal");
    expect(routes.map(({ inputs }) => inputs)).toEqual([
      expect.objectContaining({
        metadata: {
          name: "path-legal",
          namespace: "inference-gateway",
          labels: expect.objectContaining({ "inference-stacks.io/model-in-path": "true" }),
          annotations: { "gateway.envoyproxy.io/ai-gateway-generated": "true" },
        },
        spec: {
          parentRefs: [PARENT],
          rules: [{ matches: [{ path: { type: "PathPrefix", value: "/legal/v1" } }], filters: [notFound] }],
        },
      }),
    ]);
    expect(specOf(deployment, "EnvoyExtensionPolicy", "model-paths")).toMatchObject({
      targetSelectors: [{ kind: "HTTPRoute", matchLabels: { "inference-stacks.io/model-in-path": "true" } }],
      lua: [
        { type: "Inline", inline: expect.stringContaining("x-path-model") },
        // A route's policy stands in place of the listener's, so it has that one's script too.
        { type: "Inline", inline: callerScript() },
      ],
    });
    expect(specOf(deployment, "HTTPRoute", "other-model")).toEqual({
      parentRefs: [PARENT],
      rules: [
        {
          matches: [
            {
              path: { type: "PathPrefix", value: "/" },
              headers: ["x-path-model", "x-ai-eg-model"].map((name) => ({
                type: "RegularExpression",
                name,
                value: ".+",
              })),
            },
          ],
          filters: [notFound],
        },
      ],
    });
    expect(specOf(deployment, "HTTPRouteFilter", "model-not-found")).toMatchObject({
      directResponse: { statusCode: 404, contentType: "application/json" },
    });
  });

  it("runs the script before the AI gateway's filter, which goes behind the last request buffer", async () => {
    const { deployment } = await deployGateway();
    expect(specOf(deployment, "EnvoyProxy", "inference")).toMatchObject({
      filterOrder: [{ name: "envoy.filters.http.lua", before: "envoy.filters.http.buffer" }],
    });
    expect(specOf(deployment, "BackendTrafficPolicy", "inference")).toMatchObject({ requestBuffer: {} });
  });

  it("names the same header in the script and in the routes, and the same metadata in the script and in the log", () => {
    const script = readFileSync(join(repositoryRoot(), "components/gateway/scripts/model-path.lua"), "utf8");
    expect(script).toContain(`headers:replace("${PATH_MODEL_HEADER}", model)`);
    expect(script).toContain(`set("${CLIENT_PATH.namespace}", "${CLIENT_PATH.key}", `);
  });

  it("keeps all of a gateway's resources in its namespace, so that no reference needs a grant", async () => {
    const { deployment } = await deployGateway();
    const routes = ["Backend", "AIServiceBackend", "AIGatewayRoute", "HTTPRoute"].flatMap((kind) =>
      deployment.ofKind(kind),
    );
    expect(routes).toHaveLength(15);
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
    ).toEqual(["other-model", "path-a", "path-model-a", "path-path-a", "redirect-to-https", "unknown-model"]);
    expect(
      deployment
        .ofKind("AIGatewayRoute")
        .map(({ inputs }) => (inputs.metadata as { name: string }).name)
        .sort(),
    ).toEqual(["model-a", "model-model-a", "model-path-a"]);
  });
});
