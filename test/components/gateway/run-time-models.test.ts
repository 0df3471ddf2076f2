import { describe, expect, it } from "vitest";
import { gatewayConnections } from "../../../components/gateway/connections";
import type { RunTimeModels } from "../../../components/gateway/run-time-models";
import { callOf } from "../../../services/model-control/src/relay/calls";
import { byName, NETWORKS } from "../../harness/connections";
import { crdProblems } from "../../harness/crds";
import { deployGateway, ENDPOINTS, specOf } from "./fixture";

const models: RunTimeModels = {
  service: "model-relay",
  pods: { namespace: "model-control", podLabels: { "app.kubernetes.io/name": "model-relay" } },
  port: 1995,
  ollamaApi: true,
};

interface Match {
  readonly method: string;
  readonly path: { readonly type: string; readonly value: string };
}

describe("models that come at run time", () => {
  it("answer for every name that no route has, with their tokens counted", async () => {
    const { deployment } = await deployGateway({ runTimeModels: models });
    expect(specOf(deployment, "AIGatewayRoute", "run-time-models")).toMatchObject({
      rules: [
        {
          matches: [{ headers: [{ type: "RegularExpression", name: "x-ai-eg-model", value: ".+" }] }],
          backendRefs: [{ name: "run-time-models" }],
          timeouts: { request: "3600s" },
        },
      ],
      llmRequestCosts: expect.arrayContaining([expect.objectContaining({ type: "TotalToken" })]),
    });
    expect(specOf(deployment, "Backend", "run-time-models")).toEqual({
      endpoints: [{ fqdn: { hostname: "model-relay.model-control.svc.cluster.local", port: 1995 } }],
    });
    const made = ["AIGatewayRoute", "AIServiceBackend", "Backend", "HTTPRoute"].flatMap((kind) =>
      deployment.ofKind(kind),
    );
    expect(made.flatMap(({ inputs }) => crdProblems(inputs))).toEqual([]);
  });

  it("speak Ollama's API at exact paths: those that the relay answers, and no others", async () => {
    const { deployment } = await deployGateway({ runTimeModels: models });
    const { rules } = specOf(deployment, "HTTPRoute", "ollama-api") as { rules: { matches: Match[] }[] };
    const matches = rules.flatMap((rule) => rule.matches);
    expect(matches.map(({ method, path }) => `${method} ${path.value}`).sort()).toEqual([
      "GET /api/ps",
      "GET /api/tags",
      "GET /api/version",
      "POST /api/chat",
      "POST /api/embed",
      "POST /api/embeddings",
      "POST /api/generate",
      "POST /api/show",
    ]);
    for (const { method, path } of matches) {
      expect([path.type, callOf(method, path.value)?.dialect]).toEqual(["Exact", "ollama"]);
    }
  });

  it("do so only where the platform says so; without a relay there is nothing at all", async () => {
    const names = async (runTimeModels?: RunTimeModels) => {
      const { deployment } = await deployGateway({ ...(runTimeModels && { runTimeModels }) });
      const all = ["HTTPRoute", "AIGatewayRoute", "Backend"].flatMap((kind) => deployment.ofKind(kind));
      return all.map(({ inputs }) => (inputs.metadata as { name: string }).name);
    };
    expect(await names({ ...models, ollamaApi: false })).not.toContain("ollama-api");
    const without = await names();
    expect(["ollama-api", "run-time-models"].filter((name) => without.includes(name))).toEqual([]);
  });

  it("are reached by the proxies alone", () => {
    const args = {
      endpoints: ENDPOINTS,
      services: [],
      networks: NETWORKS,
      certManager: "present",
      acme: undefined,
    } as const;
    expect(byName(gatewayConnections({ ...args, runTimeModels: models }))["gateway-to-run-time-models"]).toMatchObject({
      from: [{ namespace: "inference-gateway" }],
      to: [models.pods],
      ports: [{ port: 1995 }],
    });
    expect(Object.keys(byName(gatewayConnections(args)))).not.toContain("gateway-to-run-time-models");
  });
});
