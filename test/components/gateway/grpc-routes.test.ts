import { describe, expect, it } from "vitest";
import { crdProblems } from "../../harness/crds";
import { deployGateway, endpoint, specOf } from "./fixture";

const ranking = endpoint("ranking", {
  servedName: "bge-reranker",
  engine: "triton",
  task: "rerank",
  ports: { "kserve-http": 8000, "kserve-grpc": 8001 },
});
const canary = {
  ...ranking,
  model: "ranking-canary",
  namespace: "model-ranking-canary",
  revisionOf: { model: "ranking", weight: 20 },
};

interface Route {
  readonly rules: readonly {
    readonly matches: readonly {
      readonly path: { readonly value: string };
      readonly headers: readonly { readonly name: string; readonly value: string }[];
    }[];
    readonly backendRefs: readonly { readonly name: string; readonly weight: number }[];
    readonly timeouts: { readonly request: string };
  }[];
}

async function deployed(...endpoints: readonly (typeof ranking)[]) {
  const { deployment, gateway } = await deployGateway({ endpoints, sessions: new Map([["ranking", "header"]]) });
  return {
    gateway,
    deployment,
    route: (name: string) => specOf(deployment, "HTTPRoute", name) as Route,
    policy: (name: string) => specOf(deployment, "BackendTrafficPolicy", name) as Readonly<Record<string, unknown>>,
  };
}

describe("GrpcRoutes", () => {
  it("pass calls that ask for answers, to the model that their metadata names, and no others", async () => {
    const { route } = await deployed(ranking);
    const calls = ["grpc-ranking", "grpc-ranking.stream"].flatMap((name) =>
      route(name).rules.flatMap(({ matches }) =>
        matches.map(({ path, headers }) => [
          path.value,
          headers.map((header) => `${header.name}=${header.value}`).join(),
        ]),
      ),
    );
    expect(calls).toEqual(
      ["ModelInfer", "ModelMetadata", "ModelReady", "ServerLive", "ServerReady", "ModelStreamInfer"].map((call) => [
        `/inference.GRPCInferenceService/${call}`,
        "x-model=ranking",
      ]),
    );
  });

  it("lead to the gRPC port, over HTTP/2, for as long as over HTTP", async () => {
    const { deployment, route } = await deployed(ranking);
    expect(specOf(deployment, "Backend", "ranking.grpc")).toEqual({
      appProtocols: ["gateway.envoyproxy.io/h2c"],
      endpoints: [{ fqdn: { hostname: "ranking-server.model-ranking.svc.cluster.local", port: 8001 } }],
    });
    const [rule] = route("grpc-ranking").rules;
    const [overHttp] = route("kserve-ranking").rules;
    expect(rule?.timeouts).toEqual(overHttp?.timeouts);
  });

  it("share calls with a canary; else sessions stay", async () => {
    const shared = await deployed(ranking, canary);
    const alone = await deployed(ranking);
    for (const name of ["grpc-ranking", "grpc-ranking.stream"]) {
      const refs = shared.route(name).rules.flatMap(({ backendRefs }) => backendRefs);
      expect(refs.map((ref) => `${ref.name} ${ref.weight}`)).toEqual(["ranking.grpc 80", "ranking-canary.grpc 20"]);
      expect(alone.policy(name).loadBalancer).toMatchObject({ type: "ConsistentHash" });
    }
    expect(shared.policy("grpc-ranking")).not.toHaveProperty("loadBalancer");
    expect(shared.policy("grpc-ranking.stream").loadBalancer).toMatchObject({ type: "LeastRequest" });
  });

  it("leave out of the listener's policy of streams nothing but the request buffer", async () => {
    const { policy } = await deployed(ranking);
    const { requestBuffer, ...listener } = policy("inference");
    const stream = policy("grpc-ranking.stream");
    expect(requestBuffer).toBeDefined();
    expect(stream).not.toHaveProperty("mergeType");
    expect(Object.keys(stream).toSorted()).toEqual(Object.keys(listener).toSorted());
    expect(stream).toMatchObject({
      timeout: listener.timeout,
      circuitBreaker: listener.circuitBreaker,
      healthCheck: { ...(listener.healthCheck as object), active: { type: "GRPC" } },
    });
    expect(policy("grpc-ranking")).toMatchObject({ mergeType: "StrategicMerge" });
  });

  it("keep to what the CRDs know, and are not made without such models", async () => {
    const { deployment } = await deployed(ranking, canary);
    const made = ["Backend", "BackendTrafficPolicy", "HTTPRoute"].flatMap((kind) => deployment.ofKind(kind));
    expect(made.flatMap(({ inputs }) => crdProblems(inputs))).toEqual([]);
    const without = await deployGateway({ endpoints: [endpoint("legal")] });
    const names = without.deployment
      .ofKind("HTTPRoute")
      .map(({ inputs }) => (inputs.metadata as { name: string }).name);
    expect(names.filter((name) => name.startsWith("grpc-"))).toEqual([]);
  });

  it("are told to clients", async () => {
    const { gateway } = await deployed(ranking);
    expect(gateway.models.ranking?.grpc).toEqual({ target: "llm.example.com:443", metadata: { "x-model": "ranking" } });
    const onNodes = await deployGateway({ endpoints: [ranking], exposure: "NodePort" });
    expect(onNodes.gateway.models.ranking?.grpc?.target).toBe("llm.example.com:30443");
  });
});
