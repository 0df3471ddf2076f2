/** An engine outside, as the platform renders it for the API: a real Ollama, listed, filled, emptied and "stopped" by the real API. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { metadataOf } from "../../stacks/kubernetes";
import { changedRun } from "../../stacks/run";
import { type Ollama, type Redis, type Registry, startOllama, startRedis, startRegistry } from "./registry";
import { Api, ApiBundle } from "./start-api";

const ADDRESS = "http://192.168.1.30:11434";

/** The workers of a rendered configuration of the API. */
async function renderedWorkers(): Promise<readonly { readonly name: string; readonly url: string }[]> {
  const { deployment } = await changedRun("dev", {
    modelControl: {
      enabled: true,
      image: "ghcr.io/acme/inference-model-control:1.0.0",
      workers: { tower: { backend: "ollama", url: ADDRESS, memoryGiB: 2, diskGiB: 10, models: ["tiny"] } },
    },
  });
  const files = deployment
    .ofType("kubernetes:core/v1:ConfigMap")
    .filter((resource) => metadataOf(resource).name === "model-control")
    .map(({ inputs }) => inputs.data as Record<string, string>);
  return parse(files[0]?.["config.json"] ?? "").workers;
}

describe("the model control API with an engine outside", () => {
  let ollama: Ollama;
  let redis: Redis;
  let registry: Registry;
  let bundle: ApiBundle;
  let api: Api;
  let tiny = "";

  beforeAll(async () => {
    bundle = ApiBundle.build();
    [ollama, redis, registry] = await Promise.all([startOllama(), startRedis(), startRegistry()]);
    const outside = (await renderedWorkers()).filter(({ name }) => name === "tower");
    expect(outside).toMatchObject([{ url: ADDRESS }]);
    api = await Api.start(bundle, {
      redis: { url: redis.url },
      registries: { insecure: [registry.host] },
      workers: outside.map((worker) => ({ ...worker, url: ollama.url })),
    });
    tiny = registry.publish("tiny:latest");
  });
  afterAll(async () => {
    await api?.process.stop();
    await Promise.all([ollama?.stop(), redis?.stop(), registry?.stop()]);
    bundle?.remove();
  });

  /** Names that Ollama itself lists: on its disk, or in its memory. */
  async function listed(path: "/api/tags" | "/api/ps"): Promise<string[]> {
    const answer = await fetch(`${ollama.url}${path}`);
    const { models } = (await answer.json()) as { readonly models: readonly { readonly name: string }[] };
    return models.map(({ name }) => name);
  }

  it("pulls and loads a model there, and shows it", async () => {
    expect(await api.ended(await api.pull(tiny))).toMatchObject({ state: "completed", worker: "tower" });
    expect(await listed("/api/tags")).toEqual([tiny]);
    expect(await listed("/api/ps")).toEqual([tiny]);
    const { body: shown } = await api.ask("GET", "/workers");
    expect(shown).toMatchObject({ workers: [{ name: "tower", state: "running" }] });
  });

  it("stops it without a scale: its models are unloaded, new ones refused, and the engine runs on", async () => {
    const { status, body } = await api.ask("POST", "/workers/stop", { worker: "tower" });
    expect(status).toBe(202);
    expect(await api.ended(body.task_id)).toMatchObject({ state: "completed" });
    expect(await listed("/api/ps")).toEqual([]);
    expect(await listed("/api/tags")).toEqual([tiny]);
    const { body: shown } = await api.ask("GET", "/workers");
    expect(shown).toMatchObject({ workers: [{ name: "tower", state: "stopped" }] });
    const { task_id: load } = (await api.ask("POST", "/models/load", { model: tiny })).body;
    expect(await api.ended(load)).toMatchObject({ state: "failed", error: expect.stringContaining("stopped") });
    expect(await listed("/api/ps")).toEqual([]);
  });

  it("starts it again with the models that it had", async () => {
    const { body } = await api.ask("POST", "/workers/start", { worker: "tower" });
    expect(await api.ended(body.task_id)).toMatchObject({ state: "completed" });
    expect(await listed("/api/ps")).toEqual([tiny]);
  });

  it("unloads a model there, and deletes it", async () => {
    expect((await api.ask("DELETE", `/models/${tiny}`)).status).toBe(200);
    expect(await listed("/api/ps")).toEqual([]);
    expect((await api.ask("DELETE", `/models/${tiny}?purge=true`)).status).toBe(200);
    expect(await listed("/api/tags")).toEqual([]);
  });
});
