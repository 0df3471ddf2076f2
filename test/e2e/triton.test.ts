/**
 * The real Triton with what is rendered for it: command line, config.pbtxt and model.yaml, and the scripts that bring a
 * repository into the pod. Ports, folders and the models' code are the test's; nothing else is.
 *
 * The part is Triton 2.51 with the Python back end alone, the platform pins 2.71: flags and series are held to the record of
 * 2.71 (test/components/serving/triton-args.test.ts), behaviour to 2.51.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { triton } from "../../engines/triton";
import { LLMAPI_CODE, llmapiProblems } from "../../engines/triton/llmapi";
import { configProblems, configText, type Message } from "../../engines/triton/model-config";
import { waitFor } from "../../rehearsal/cluster/wait";
import { createBackend } from "../../services/model-control/src/backends/create";
import { EngineRefusal, NotSupported, UnknownModel } from "../../services/model-control/src/errors";
import { deployServing } from "../components/serving/fixture";
import { issueCertificate } from "./model-store/authority";
import { RenderedPlatform } from "./model-store/platform";
import { TestStore } from "./model-store/start-store";
import { makeRepository, render, tritonPlan, withRepository } from "./triton/rendered";
import { flagsOfPart, NEWER_FLAGS, type RealTriton, refusalOf, startTriton } from "./triton/server";

const MODELS = join(__dirname, "triton/models");
const code = (file: string) => readFileSync(join(MODELS, file), "utf8");
/** What stands for the code that the image has, where the image has it. */
const IMAGE = Object.fromEntries(LLMAPI_CODE.files.map((file) => [`${LLMAPI_CODE.folder}/${file}`, code(file)]));

const VECTOR: Message = {
  name: "vector",
  backend: "python",
  max_batch_size: 0,
  input: [{ name: "text", data_type: "TYPE_STRING", dims: [1] }],
  output: [{ name: "vector", data_type: "TYPE_FP32", dims: [2] }],
  instance_group: [{ kind: "KIND_CPU", count: 1 }],
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "inference-stacks-triton-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function post(url: string, body: object): Promise<Response> {
  return fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
}

/** A folder with one Python model for each configuration. */
function repositoryOf(configs: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(folder, "repository-"));
  for (const [model, config] of Object.entries(configs)) {
    mkdirSync(join(root, model, "1"), { recursive: true });
    writeFileSync(join(root, model, "config.pbtxt"), config);
    writeFileSync(join(root, model, "1/model.py"), code("vector.py"));
  }
  return root;
}

const ask = (text: string) => ({ inputs: [{ name: "text", shape: [1], datatype: "BYTES", data: [text] }] });

describe("the command line", () => {
  it("is one that the part takes, but for what is newer", async () => {
    const known = flagsOfPart();
    const plans = [tritonPlan(), tritonPlan({ engineSettings: { isRepository: true, resources: { R1: 1 } } })];
    const rendered: string[] = [];
    for (const plan of plans) {
      rendered.push(...(await render(plan)).args);
    }
    const flags = [...new Set(rendered.map((word) => word.split("=")[0] ?? word))];
    expect(flags.length).toBeGreaterThan(12);
    expect(flags.filter((flag) => !known.has(flag))).toEqual(NEWER_FLAGS);
  });
});

describe("the repository that is made for a checkpoint", () => {
  let server: RealTriton;

  beforeAll(async () => {
    const rendered = await render(tritonPlan());
    const repository = await makeRepository(rendered, folder, IMAGE);
    // A second model, which nobody planned.
    mkdirSync(join(repository, "stray/1"), { recursive: true });
    writeFileSync(join(repository, "stray/config.pbtxt"), configText({ ...VECTOR, name: "stray" }));
    writeFileSync(join(repository, "stray/1/model.py"), code("vector.py"));
    server = await startTriton(withRepository(rendered.args, repository));
  });
  afterAll(() => server?.stop());

  it("answers the probes from the moment in which the planned model is there", async () => {
    // Its ports open after that: the start-up probe, with the plan's budget, is what waits for it.
    const log = server.process.output();
    expect(log.indexOf("successfully loaded 'llama'")).toBeGreaterThan(0);
    expect(log.indexOf("Started HTTPService")).toBeGreaterThan(log.indexOf("successfully loaded 'llama'"));
    for (const path of Object.values(triton.health)) {
      expect((await fetch(server.url + path)).status).toBe(200);
    }
  });

  it("has the planned model loaded, and no other", async () => {
    const index = (await (await post(`${server.url}/v2/repository/index`, {})).json()) as object[];
    expect(index).toEqual(expect.arrayContaining([{ name: "llama", version: "1", state: "READY" }, { name: "stray" }]));
    expect(index).toHaveLength(2);
  });

  it("takes its policy from model.yaml: answers stream", async () => {
    const config = (await (await fetch(`${server.url}/v2/models/llama/config`)).json()) as Record<string, unknown>;
    expect(config).toMatchObject({ max_batch_size: 0, model_transaction_policy: { decoupled: true } });
    const response = await post(`${server.url}/v2/models/llama/generate_stream`, {
      text_input: "one",
      sampling_param_max_tokens: 3,
    });
    const arrivals: number[] = [];
    let text = "";
    for await (const chunk of response.body ?? []) {
      arrivals.push(Date.now());
      text += Buffer.from(chunk).toString();
    }
    expect(text.match(/"text_output":"one \d"/g)).toEqual([
      '"text_output":"one 0"',
      '"text_output":"one 1"',
      '"text_output":"one 2"',
    ]);
    expect(Math.max(...arrivals) - Math.min(...arrivals)).toBeGreaterThan(800);
  });

  it("answers a whole text too", async () => {
    const answer = await post(`${server.url}/v2/models/llama/generate`, { text_input: "all" });
    expect(await answer.json()).toMatchObject({ model_name: "llama", text_output: "all 0" });
  });

  it("reports the series that rules and dashboards read", async () => {
    const text = await (await fetch(server.metricsUrl)).text();
    for (const series of Object.values(triton.metrics?.series ?? {})) {
      expect(text).toContain(`\n${series}{`);
    }
    expect(text).toMatch(/nv_inference_request_summary_us\{model="llama",version="1",quantile="0.99"\} \d/);
  });

  it("lets a stream end when its pod is told to leave", async () => {
    const request = post(`${server.url}/v2/models/llama/generate_stream`, {
      text_input: "last",
      sampling_param_max_tokens: 6,
    });
    const response = await request;
    const stopped = server.process.terminate();
    const text = await response.text();
    expect(text).toContain('"text_output":"last 5"');
    await stopped;
    await expect(fetch(`${server.url}/v2/health/live`)).rejects.toThrow();
  });
});

describe("configurations that are refused", () => {
  it("needs the completion of its configuration: without it, no answer streams", async () => {
    const rendered = await render(tritonPlan());
    const repository = await makeRepository(rendered, folder, IMAGE);
    const args = [...withRepository(rendered.args, repository), "--disable-auto-complete-config"];
    const server = await startTriton(args);
    try {
      const config = (await (await fetch(`${server.url}/v2/models/llama/config`)).json()) as Record<string, unknown>;
      expect(config).not.toMatchObject({ model_transaction_policy: { decoupled: true } });
    } finally {
      await server.stop();
    }
  });

  it("by our check and by Triton: a field that does not exist", async () => {
    const wrong = { ...VECTOR, max_batchsize: 4 };
    expect(configProblems(wrong).map(({ path }) => path)).toEqual(["max_batchsize"]);
    const { args } = await render(tritonPlan({ servedName: "vector", engineSettings: { isRepository: true } }));
    const repository = repositoryOf({ vector: `${configText(VECTOR)}max_batchsize: 4\n` });
    const said = await refusalOf(withRepository(args, repository), folder);
    expect(said).toContain("ended with 1");
    expect(said).toContain('Message type "inference.ModelConfig" has no field named "max_batchsize"');
  });

  it("by our check alone, since the part has no such back end: copies of the model, and what model.yaml says", () => {
    const copies = { instance_group: [{ kind: "KIND_CPU", count: 4 }] };
    expect(llmapiProblems(copies).map(({ allowed }) => allowed)).toEqual([
      expect.stringContaining("4 copies of the model"),
    ]);
    expect(llmapiProblems({ max_batch_size: 64 }).map(({ path }) => path)).toEqual(["max_batch_size"]);
  });

  it("not by Triton: strings of any content that we write", async () => {
    const parameters = { 'a"\\\n': { string_value: 'ü\t"' } };
    const { args } = await render(tritonPlan({ servedName: "odd", engineSettings: { isRepository: true } }));
    const server = await startTriton(
      withRepository(args, repositoryOf({ odd: configText({ ...VECTOR, name: "odd", parameters }) })),
    );
    try {
      const config = (await (await fetch(`${server.url}/v2/models/odd/config`)).json()) as { parameters: object };
      expect(config.parameters).toEqual(parameters);
    } finally {
      await server.stop();
    }
  });
});

describe("a repository of the user's own in the model store", () => {
  const signal = new AbortController().signal;
  const model = tritonPlan({
    name: "embedder",
    servedName: "vector",
    task: "embedding",
    source: { kind: "bucket", uri: "s3://models/embedder" },
    engineSettings: { isRepository: true, backends: "standard", resources: { R1: 1 } },
  });
  let store: TestStore;
  let server: RealTriton;

  beforeAll(async () => {
    const certificate = issueCertificate(["DNS:minio.model-store.svc", "IP:127.0.0.1"]);
    const issued = { "minio-tls": certificate, "model-store-trust": certificate };
    const platform = await RenderedPlatform.render([model], "hf_unused", issued);
    store = await TestStore.start(platform, certificate["ca.crt"]);
    const put = (path: string, text: string) => store.administrator.put("models", path, Buffer.from(text));
    await put("embedder/vector/config.pbtxt", configText(VECTOR));
    await put("embedder/vector/1/model.py", code("vector.py"));
    await put("embedder/second/config.pbtxt", configText({ ...VECTOR, name: "second" }));
    await put("embedder/second/1/model.py", code("vector.py"));
    await put("embedder/broken/config.pbtxt", configText({ ...VECTOR, name: "broken", backend: "onnxruntime" }));
    await put("embedder/broken/1/model.onnx", "no model");
    await put("private/vector/config.pbtxt", "not this one's");
    const container = store.container(platform.fetch("embedder"), {});
    const { status, output } = await store.start(container).ended;
    expect([status, output]).toEqual([0, expect.any(String)]);
    const { args } = await render(model);
    server = await startTriton(withRepository(args, container.here("/models/current")));
  });
  afterAll(async () => {
    await Promise.all([server?.stop(), store?.stop()]);
  });

  it("is copied with the model's own key, and served as it is written", async () => {
    const answer = await post(`${server.url}/v2/models/vector/infer`, ask("four"));
    expect(await answer.json()).toMatchObject({ outputs: [{ name: "vector", data: [4, 1] }] });
  });

  it("is driven by the model control API's backend, as the endpoint says", async () => {
    const { serving } = await deployServing([model], {
      control: { client: { namespace: "control", podLabels: {}, serviceAccount: "api" }, spareStorageGiB: 0 },
    });
    const [endpoint] = serving.endpoints;
    const control = endpoint?.control;
    expect(control).toMatchObject({
      engines: ["http://model-embedder.model-embedder.svc:8000"],
      planned: [{ model: "embedder", names: ["vector"] }],
    });
    const backend = createBackend(control?.backend ?? "ollama", { url: server.url });
    expect(backend.kind).toBe("triton");
    expect((await backend.health(signal)).version).toMatch(/^2\.\d+\.\d+$/);
    const listed = async () => (await backend.models(signal)).map(({ name, loaded }) => `${name} ${loaded}`).sort();
    expect(await listed()).toEqual(["broken false", "second false", "vector true"]);

    await backend.load("second", signal);
    expect(await listed()).toEqual(["broken false", "second true", "vector true"]);
    await post(`${server.url}/v2/models/second/infer`, ask("x"));
    // Triton counts a request after its answer is on the way.
    await waitFor("the use to be counted", async () => {
      const mark = (await backend.models(signal)).find(({ name }) => name === "second")?.useMark;
      return Number(mark) > Date.now() - 60_000 ? true : undefined;
    });

    // With a request in flight: it ends, then the model goes.
    const running = post(`${server.url}/v2/models/second/infer`, ask("xyz"));
    await new Promise((resolve) => setTimeout(resolve, 150));
    await backend.unload("second", signal);
    expect((await running).status).toBe(200);
    expect(await listed()).toEqual(["broken false", "second false", "vector true"]);
    // A model that left does not make the pod unready.
    expect((await fetch(`${server.url}/v2/health/ready`)).status).toBe(200);

    await expect(backend.load("broken", signal)).rejects.toThrow(EngineRefusal);
    await expect(backend.load("absent", signal)).rejects.toThrow(UnknownModel);
    await expect(backend.pull("absent", () => {}, signal)).rejects.toThrow(NotSupported);
    await expect(backend.purge("second", signal)).rejects.toThrow(NotSupported);
    expect(await backend.has("second", signal)).toBe(true);
    expect(await backend.has("absent", signal)).toBe(false);
  });

  it("keeps its clients when another model fails to load", async () => {
    expect((await fetch(`${server.url}/v2/health/ready`)).status).toBe(200);
  });
});
