import { describe, expect, it } from "vitest";
import { groupPlan, modelPlan } from "../../harness/plans";
import { container, deployServing, literals, podTemplate } from "./fixture";

const prefixCaches = { parts: 3, shared: [["web", "batch"]] };
const MIDDLEWARE = "--middleware=cache_salt.CacheSalt";

async function deployed(changes: Parameters<typeof modelPlan>[0] = {}) {
  const { deployment } = await deployServing([modelPlan({ prefixCaches, ...changes })]);
  const template = podTemplate(
    deployment.resource("kubernetes:apps/v1:Deployment", "serving-llama-8b-server-deployment"),
  );
  return { deployment, template, engine: container(template.spec, "vllm") };
}

describe("a prefix cache that consumers share", () => {
  it("falls into parts by a script in the engine, with a key that stands in a Secret alone", async () => {
    const { deployment, template, engine } = await deployed();
    expect(engine.args).toContain(MIDDLEWARE);
    expect(literals(engine)).toMatchObject({
      PYTHONPATH: "/scripts",
      CACHE_SALT_KEY: "/cache-salt-key/key",
      CACHE_SALT_SHARED: '[["web","batch"]]',
    });
    expect(template.spec.volumes).toContainEqual({
      name: "request-middleware",
      configMap: { name: "request-middleware" },
    });
    expect(template.spec.volumes).toContainEqual({ name: "cache-salt-key", secret: { secretName: "cache-salt" } });
    expect(engine.volumeMounts).toContainEqual({
      name: "cache-salt-key",
      mountPath: "/cache-salt-key",
      readOnly: true,
    });
    const secret = deployment.resource("kubernetes:core/v1:Secret", "serving-llama-8b-cache-salt");
    const key = deployment.resource("random:index/randomPassword:RandomPassword", "serving-llama-8b-cache-salt-key");
    expect(secret.inputs).toMatchObject({
      metadata: { name: "cache-salt", namespace: "model-llama-8b" },
      stringData: { key: expect.anything() },
    });
    expect(key.inputs).toMatchObject({ length: 48, special: false });
  });

  it("rolls the pods when others share, not when a consumer comes", async () => {
    const hash = async (changes: Parameters<typeof modelPlan>[0]) =>
      (await deployed(changes)).template.metadata.annotations;
    const before = await hash({});
    expect(await hash({ prefixCaches: { ...prefixCaches, parts: 4 } })).toEqual(before);
    expect(await hash({ prefixCaches: { parts: 4, shared: [] } })).not.toEqual(before);
  });

  it("is found by a hash that nobody can make collide, also in releases that take another by default", async () => {
    const hashes = async (changes: Parameters<typeof modelPlan>[0]) =>
      (await deployed(changes)).engine.args?.filter((word) => word.startsWith("--prefix-caching-hash-algo"));
    expect(await hashes({ engineVersion: "0.10.1.1" })).toEqual(["--prefix-caching-hash-algo=sha256"]);
    expect(await hashes({ engineVersion: "0.10.2" })).toEqual([]);
    const args = { "prefix-caching-hash-algo": "sha256" };
    expect(await hashes({ engineVersion: "0.10.1.1", args })).toEqual(["--prefix-caching-hash-algo=sha256"]);
  });

  it("stays whole where one consumer calls", async () => {
    const { deployment } = await deployServing([modelPlan()]);
    const engine = container(
      podTemplate(deployment.resource("kubernetes:apps/v1:Deployment", "serving-llama-8b-server-deployment")).spec,
      "vllm",
    );
    expect(engine.args).not.toContain(MIDDLEWARE);
    expect(engine.env.map(({ name }) => name)).not.toContain("PYTHONPATH");
  });

  it("falls into parts in both kinds of pods of a split model, and in groups", async () => {
    const split = modelPlan({
      prefixCaches,
      engineSettings: { prefillDecode: { prefill: 1, decode: 1 } },
      minReplicas: 2,
      maxReplicas: 2,
    });
    const { deployment } = await deployServing([split]);
    for (const role of ["prefill", "decode"]) {
      const { spec } = podTemplate(
        deployment.resource("kubernetes:apps/v1:Deployment", `serving-llama-8b-${role}-deployment`),
      );
      expect(container(spec, "vllm").args).toContain(MIDDLEWARE);
    }
    const group = groupPlan({ prefixCaches });
    const groups = await deployServing([group]);
    const text = JSON.stringify(
      groups.deployment.recording.resources.filter(({ type }) => type.includes("LeaderWorkerSet")),
    );
    expect(text).toContain(MIDDLEWARE);
  });
});
