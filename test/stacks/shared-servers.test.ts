/** Two models on one server, through the whole program: what clients and operators meet. */
import { expect, it } from "vitest";
import { changedRun } from "./run";

interface Route {
  readonly spec: {
    readonly rules: readonly {
      readonly matches: readonly {
        readonly path?: { readonly value: string };
        readonly headers?: { value: string }[];
      }[];
    }[];
  };
}

it("routes each by its name and by a base URL of its own to the one Service, which has the pods", async () => {
  const { plan, recording } = await changedRun("dev", {
    models: {
      assistant: { model: "qwen2.5-0.5b-instruct", engine: "ollama", contextTokens: 4096, concurrency: 2 },
      finder: { model: "bge-m3", engine: "ollama", contextTokens: 1024, ollama: { serverOf: "assistant" } },
    },
  });
  expect(plan.problems.filter(({ severity }) => severity === "mandatory")).toEqual([]);
  const inputs = (type: string, name: string) => {
    const found = recording.resources.find((r) => r.type === type && r.name.endsWith(`-${name}`));
    return found?.inputs as Route | undefined;
  };
  const byModel = inputs("kubernetes:aigateway.envoyproxy.io/v1beta1:AIGatewayRoute", "route-finder");
  expect(byModel?.spec.rules[0]?.matches[0]?.headers?.[0]?.value).toBe("finder");
  expect(byModel?.spec.rules[1]?.matches[0]?.headers?.map(({ value }) => value)).toEqual(["finder", "finder"]);
  const [path] = inputs("kubernetes:gateway.networking.k8s.io/v1:HTTPRoute", "path-finder")?.spec.rules ?? [];
  expect(path?.matches[0]?.path?.value).toBe("/finder/v1");
  const backend = recording.resources.find(({ name }) => name.endsWith("-backend-finder"));
  expect(JSON.stringify(backend?.inputs)).toContain("model-assistant.model-assistant.svc.cluster.local");
  const sets = recording.resources.filter(({ name }) => /models-(assistant|finder)-server-statefulset$/.test(name));
  expect(sets).toHaveLength(1);
});
