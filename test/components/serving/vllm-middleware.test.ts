import { describe, expect, it } from "vitest";
import type { ModelPlan } from "../../../planner/types";
import { modelPlan } from "../../harness/plans";
import { container, deployServing, literals, podTemplate } from "./fixture";

const MIDDLEWARE = "--middleware=connector_fields.ConnectorFields";
const SALT = "--middleware=cache_salt.CacheSalt";
const prefixCaches = { parts: 3, shared: [] };

async function deployed(changes: Partial<ModelPlan>, server = "server") {
  const { deployment } = await deployServing([modelPlan(changes)]);
  const { spec } = podTemplate(
    deployment.resource("kubernetes:apps/v1:Deployment", `serving-llama-8b-${server}-deployment`),
  );
  return { deployment, engine: container(spec, "vllm") };
}

describe("requests to an engine with a cache connector", () => {
  it.each<NonNullable<ModelPlan["args"]>>([
    { "kv-transfer-config": { kv_connector: "LMCacheConnectorV1", kv_role: "kv_both" } },
    { "kv-transfer-config": '{"kv_connector":"OffloadingConnector","kv_role":"kv_both"}' },
    { "kv-offloading-size": 4 },
  ])("lose the fields that it would read: %j", async (args) => {
    const { deployment, engine } = await deployed({ args });
    expect(engine.args).toContain(MIDDLEWARE);
    expect(literals(engine)).toMatchObject({ PYTHONPATH: "/scripts" });
    const scripts = deployment.resource("kubernetes:core/v1:ConfigMap", "serving-llama-8b-request-middleware");
    expect(Object.keys(scripts.inputs.data as object).toSorted()).toEqual([
      "connector_fields.py",
      "request_body.py",
      "vllm-request-fields.json",
    ]);
  });

  it("are salted too where several consumers call, by one folder of scripts", async () => {
    const { engine } = await deployed({ args: { "kv-offloading-size": 4 }, prefixCaches });
    expect(engine.args?.filter((word) => word.startsWith("--middleware"))).toEqual([SALT, MIDDLEWARE]);
    expect(engine.env.filter(({ name }) => name === "PYTHONPATH")).toHaveLength(1);
    expect(engine.volumeMounts?.filter(({ mountPath }) => mountPath === "/scripts")).toHaveLength(1);
  });

  it("keep them in a split model, whose proxy writes them, and where no connector is", async () => {
    const split = { engineSettings: { prefillDecode: { prefill: 1, decode: 1 } }, minReplicas: 2, maxReplicas: 2 };
    for (const { engine } of [await deployed(split, "decode"), await deployed({})]) {
      expect(engine.args).not.toContain(MIDDLEWARE);
    }
  });
});

describe("requests to a model whose prompts are not salted", () => {
  it("lose the keys that consumers give to images", async () => {
    const { engine, deployment } = await deployed({ namedImages: true });
    expect(engine.args).toContain("--middleware=cache_keys.CacheKeys");
    const scripts = deployment.resource("kubernetes:core/v1:ConfigMap", "serving-llama-8b-request-middleware");
    expect(Object.keys(scripts.inputs.data as object).toSorted()).toEqual(["cache_keys.py", "request_body.py"]);
  });
});

describe("requests to a model with adapters", () => {
  it("are kept to the names of their consumers, in the pod", async () => {
    const { engine, deployment } = await deployed({ nameLimits: { acme: ["contracts"] } });
    expect(engine.args).toContain("--middleware=model_names.ModelNames");
    expect(literals(engine)).toMatchObject({ MODEL_NAMES: '{"acme":["contracts"]}' });
    const scripts = deployment.resource("kubernetes:core/v1:ConfigMap", "serving-llama-8b-request-middleware");
    expect(Object.keys(scripts.inputs.data as object).toSorted()).toEqual(["model_names.py", "request_body.py"]);
  });
});
