/** What a server group adds to an environment: room that the plan counts, and nothing that takes from the engine. */
import { beforeAll, describe, expect, it } from "vitest";
import { gatewayProxies } from "../../components/gateway/names";
import { NODE_PORTS } from "../../components/node/ports";
import { NODE_PROXY, NODE_REGISTRATION } from "../../planner/sidecars";
import { container, podTemplate } from "../components/serving/fixture";
import { allows, type NetworkPolicy, parsePolicy } from "../harness/network-policies";
import { changedRun, type ProgramRun, programRun } from "./run";

const MODEL = "writer";
const REGISTRAR = { url: "https://registrar.example.com" };

const runs = new Map<"none" | "group" | "registrar", ProgramRun>();

function run(what: "none" | "group" | "registrar"): ProgramRun {
  const found = runs.get(what);
  if (found === undefined) {
    throw new Error(`${what} did not run`);
  }
  return found;
}

beforeAll(async () => {
  runs.set("none", await changedRun("oci-a10", { nodes: {} }));
  runs.set("group", await programRun("oci-a10"));
  const registered = { "inference-cluster": { model: MODEL, replicas: { min: 2 }, registrar: REGISTRAR } };
  const models = { ...run("group").environment.models };
  const { replicas: _, ...writer } = models.writer ?? { replicas: undefined };
  runs.set("registrar", await changedRun("oci-a10", { nodes: registered, models: written({ ...models, writer }) }));
}, 120_000);

/** Models as a file has them: what was filled in, it may not say again. */
function written(models: Readonly<Record<string, object>>) {
  return JSON.parse(JSON.stringify(models));
}

const modelIn = (what: Parameters<typeof run>[0]) => {
  const model = run(what).plan.models.find(({ name }) => name === MODEL);
  if (model === undefined) {
    throw new Error(`${MODEL} has no place`);
  }
  return model;
};

const podIn = (what: Parameters<typeof run>[0]) =>
  podTemplate(
    run(what).deployment.resource("kubernetes:apps/v1:Deployment", `platform-models-${MODEL}-server-deployment`),
  ).spec;

describe("a server group in an environment", () => {
  it("has its sidecars in the plan's pods, and engines whole CPUs", () => {
    for (const what of ["none", "group", "registrar"] as const) {
      const { resources, sidecars } = modelIn(what);
      const engine = Number(container(podIn(what), "vllm").resources.requests.cpu);
      expect(Number.isInteger(engine)).toBe(true);
      expect(engine + (sidecars?.cpu ?? 0)).toBe(resources.cpu);
    }
    expect(modelIn("none").sidecars).toBeUndefined();
    expect(modelIn("group").sidecars).toEqual(NODE_PROXY);
    expect(modelIn("registrar").sidecars?.cpu).toBe(NODE_PROXY.cpu + NODE_REGISTRATION.cpu);
  });

  it("is in the limits of its model's namespace, and in no other's", () => {
    const quota = (what: Parameters<typeof run>[0], model: string) =>
      (
        run(what).deployment.resource("kubernetes:core/v1:ResourceQuota", `platform-models-${model}-space-ns-quota`)
          .inputs.spec as { hard: Record<string, string> }
      ).hard;
    const { resources, maxReplicas } = modelIn("group");
    expect(Number(quota("group", MODEL)["requests.cpu"])).toBeGreaterThanOrEqual((maxReplicas + 1) * resources.cpu);
    expect(quota("group", "assistant")).toEqual(quota("none", "assistant"));
  });

  it("may say how many replicas there are", () => {
    expect(modelIn("registrar")).toMatchObject({ minReplicas: 2, maxReplicas: 2 });
  });

  it("opens its ports to the gateway, and to nobody else what it does not need", () => {
    const { deployment } = run("group");
    const policies = deployment
      .ofType("kubernetes:networking.k8s.io/v1:NetworkPolicy")
      .map(({ inputs }): NetworkPolicy => parsePolicy(inputs));
    const endpoint = (model: string) => ({
      namespace: `model-${model}`,
      labels: { "app.kubernetes.io/name": "vllm", "app.kubernetes.io/instance": `model-${model}` },
    });
    const gateway = { namespace: gatewayProxies.namespace, labels: gatewayProxies.podLabels };
    const mayReach = (from: typeof gateway, model: string, port: number) =>
      allows(policies, from, endpoint(model), { port, protocol: "TCP" });
    expect([NODE_PORTS.http, NODE_PORTS.metrics].map((port) => mayReach(gateway, MODEL, port))).toEqual([true, false]);
    expect(mayReach(gateway, "reasoner", NODE_PORTS.http)).toBe(false);
    expect(mayReach(endpoint("reasoner"), MODEL, NODE_PORTS.http)).toBe(false);
  });
});
