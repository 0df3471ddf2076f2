import { describe, expect, it } from "vitest";
import { crdProblems } from "../../harness/crds";
import { deployGateway, endpoint, specOf } from "./fixture";

const ranking = endpoint("ranking", {
  servedName: "bge-reranker",
  engine: "triton",
  task: "rerank",
  ports: { "kserve-http": 8000, "kserve-grpc": 8001 },
});

interface Rule {
  readonly matches: readonly {
    readonly method: string;
    readonly path: { readonly type: string; readonly value: string };
  }[];
  readonly filters: readonly { readonly urlRewrite?: { readonly path: { readonly replaceFullPath: string } } }[];
}

async function rules(): Promise<readonly Rule[]> {
  const { deployment } = await deployGateway({ endpoints: [ranking] });
  return (specOf(deployment, "HTTPRoute", "kserve-ranking") as { rules: readonly Rule[] }).rules;
}

describe("KserveRoutes", () => {
  it("leads each request of one model to the same path of its server, and nothing else there", async () => {
    const passes = (await rules()).map(({ matches, filters }) => ({
      match: matches.map(({ method, path }) => `${method} ${path.type} ${path.value}`),
      to: filters.flatMap(({ urlRewrite }) => urlRewrite?.path.replaceFullPath ?? []),
    }));
    const at = (action: string, method = "POST") => ({
      match: [`${method} Exact /ranking/v2/models/bge-reranker${action}`],
      to: [`/v2/models/bge-reranker${action}`],
    });
    expect(passes).toEqual([at("/infer"), at("/generate"), at("/generate_stream"), at("", "GET"), at("/ready", "GET")]);
  });

  it.each([
    ["POST", "/ranking/v2/repository/models/bge-reranker/unload"],
    ["POST", "/ranking/v2/repository/index"],
    ["POST", "/ranking/v2/models/bge-reranker/trace/setting"],
    ["POST", "/ranking/v2/models/other/infer"],
    ["POST", "/v2/models/bge-reranker/infer"],
    ["GET", "/ranking/v2/logging"],
  ])("has no route for %s %s", async (method, path) => {
    const { deployment } = await deployGateway({ endpoints: [ranking] });
    const all = deployment.ofKind("HTTPRoute").flatMap(({ inputs }) => {
      const { rules: found = [] } = inputs.spec as { rules?: readonly Partial<Rule>[] };
      return found.flatMap(({ matches = [] }) => matches);
    });
    const reached = all.filter((match) =>
      match.path?.type === "Exact"
        ? match.path.value === path && match.method === method
        : match.path !== undefined && match.path.value !== "/" && path.startsWith(match.path.value),
    );
    expect(reached).toEqual([]);
  });

  it("shares each of these requests with a canary, which has paths of its own", async () => {
    const revisionOf = { model: "ranking", weight: 20 };
    const canary = { ...ranking, model: "ranking-canary", namespace: "model-ranking-canary", revisionOf };
    const { deployment, gateway } = await deployGateway({ endpoints: [ranking, canary] });
    const weights = (name: string) =>
      (
        specOf(deployment, "HTTPRoute", name) as { rules: { backendRefs: { name: string; weight: number }[] }[] }
      ).rules.map(({ backendRefs }) => backendRefs.map((ref) => `${ref.name} ${ref.weight}`).join());
    expect(new Set(weights("kserve-ranking"))).toEqual(new Set(["ranking 80,ranking-canary 20"]));
    expect(new Set(weights("kserve-ranking-canary"))).toEqual(new Set(["ranking-canary 1"]));
    expect(Object.keys(gateway.models)).toEqual(["ranking"]);
  });

  it("opens the HTTP port alone, and gives no route by the model field", async () => {
    const { deployment } = await deployGateway({ endpoints: [endpoint("legal"), ranking] });
    expect(specOf(deployment, "Backend", "ranking")).toEqual({
      endpoints: [{ fqdn: { hostname: "ranking-server.model-ranking.svc.cluster.local", port: 8000 } }],
    });
    const byModel = deployment.ofKind("AIGatewayRoute").map(({ inputs }) => (inputs.metadata as { name: string }).name);
    expect(byModel).not.toContain("model-ranking");
    const made = ["Backend", "HTTPRoute"].flatMap((kind) => deployment.ofKind(kind));
    expect(made.flatMap(({ inputs }) => crdProblems(inputs))).toEqual([]);
  });

  it("tells clients where the model is", async () => {
    const { gateway } = await deployGateway({
      endpoints: [ranking, { ...ranking, model: "text", task: "completion" }],
    });
    expect(gateway.models.ranking).toMatchObject({
      baseUrl: "https://llm.example.com/ranking/v2/models/bge-reranker",
      modelId: "bge-reranker",
      enableStream: false,
    });
    expect(gateway.models.text?.curl).toContain("/text/v2/models/bge-reranker/generate \\");
    expect(gateway.models.text?.curl).toContain('"text_input":"Hello,"');
  });
});
