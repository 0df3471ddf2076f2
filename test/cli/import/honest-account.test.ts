/** What an account must not hide, and must not show. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import type { Imported } from "../../../cli/import/import-files";
import { reportJson } from "../../../cli/import/report-text";
import { FIXTURES, fixtureFiles, importText, kindsAt, modelsOf } from "./imported";
import { command, compose, config, kserve, stack } from "./small-files";

function first(result: Imported): Record<string, unknown> {
  return Object.values(modelsOf(result))[0] ?? {};
}

function reasonsAt({ entries }: Imported, path: string): string {
  return entries.flatMap((entry) => (entry.path === path ? [entry.why ?? ""] : [])).join("\n");
}

describe("a note about a whole model", () => {
  const REPOSITORY = /(?<=["'\s=/]|hf:\/\/)(meta-llama|Qwen|deepseek-ai|microsoft|BAAI)\/[\w.-]+/g;
  const named = fixtureFiles().filter((file) => REPOSITORY.test(readFileSync(join(FIXTURES, file), "utf8")));

  it("has fixtures of several formats", () => {
    expect(named.length).toBeGreaterThan(8);
  });

  it.each(named)("hides no field of %s where the catalogue lacks the model", async (file) => {
    const text = readFileSync(join(FIXTURES, file), "utf8");
    const known = await importText(text);
    const foreign = await importText(text.replace(REPOSITORY, "some-org/Some-Model-7B"));
    const answered = new Set(foreign.entries.map(({ path }) => path));
    const hidden = known.entries.filter(({ path, kind }) => kind !== "mapped" && !answered.has(path));
    const models = new Set(known.settled?.models.map(({ draft }) => draft.at.join(".")));
    expect(hidden.filter(({ path }) => !models.has(path.replace(/\[(\d+)\]/g, ".$1")))).toEqual([]);
  });

  it.each(["some-org/Some-Model-7B", "Qwen/Qwen3-8B", ""])("answers for no field of a model of %j", async (model) => {
    const field = fc.stringMatching(/^zz[a-z]{1,8}$/);
    await fc.assert(
      fc.asyncProperty(field, fc.constantFrom(1, "text", true), async (key, value) => {
        const result = await importText(stack({ [key]: value, requestGPU: 4, replicaCount: 1e9 }, model));
        const path = `servingEngineSpec.modelSpec[0]${model === "" ? "" : `.${key}`}`;
        expect(kindsAt(result, path)).toContain("notMapped");
      }),
      { numRuns: 4 },
    );
  });

  it("that is not in the environment leaves nothing mapped", async () => {
    const result = await importText(compose({ command: "--max-model-len 4096" }));
    expect(result.entries).toMatchObject([{ kind: "notMapped", path: "services.a" }]);
  });
});

describe("a setting that the configuration refuses", () => {
  it("is not mapped any more, wherever it stood", async () => {
    const result = await importText(
      compose({
        image: "vllm/vllm-openai-cpu:v0.33.0",
        gpus: undefined,
        command: "--model Qwen/Qwen3-8B --max-model-len 4096 --tensor-parallel-size 2",
      }),
    );
    const about = result.entries.filter(({ path, to, why }) => `${path}${to}${why}`.includes("tensorParallel"));
    expect(about.map(({ kind }) => kind)).toEqual(["notMapped"]);
  });
});

describe("weights in a folder, a bucket or a claim", () => {
  it.each([
    ["/mnt/ft/Qwen/Qwen3-8B", "changed"],
    ["/root/.cache/huggingface/hub/models--Qwen--Qwen3-8B", "changed"],
  ])("%s of the pod are said to come from the Hub", async (folder, kind) => {
    const result = await importText(compose({ command: `--model ${folder} --max-model-len 4096` }));
    expect(first(result)).toMatchObject({ model: "qwen3-8b" });
    expect(result.entries.filter(({ to }) => to === "models.*.model").map((entry) => entry.kind)).toEqual([kind]);
  });

  it.each(["/models/acme-finetuned/Qwen3-8B", "/data/acme/Ours-8B", "./ours", "models/a/Ours-8B"])(
    "%s become no repository",
    async (folder) => {
      const result = await importText(compose({ command: `--model ${folder} --max-model-len 4096` }));
      expect(first(result)).toMatchObject({ config: "models/a/config.json", source: "s3://models/a" });
      expect(result.settled?.text).not.toContain("hf://");
      expect(result.entries.filter(({ to }) => to === "models.*.model").map(({ kind }) => kind)).toEqual([
        "changed",
        "changed",
      ]);
    },
  );

  const storage = (storageUri: string) =>
    kserve({
      model: {
        modelFormat: { name: "huggingface" },
        storageUri,
        args: ["--max-model-len=4096"],
        resources: { limits: { "nvidia.com/gpu": 1 } },
      },
    });

  it.each([
    ["s3://corp-models/tuned/v1", "s3://corp-models/tuned/v1"],
    ["gs://corp-models/acme/Ours-8B", "s3://corp-models/acme/Ours-8B"],
    ["pvc://weights/hf/8b_instruction_tuned", "pvc://weights/hf/8b_instruction_tuned"],
  ])("%s stay there, and their config.json is asked for", async (address, source) => {
    const result = await importText(storage(address));
    expect(first(result)).toMatchObject({ config: "models/chat/config.json", source });
    expect(result.settled?.text).not.toContain("hf://");
  });

  it("at another address are lost", async () => {
    const result = await importText(storage("https://acme.blob.core.windows.net/c/Ours-8B?sig=SECRET"));
    expect(result.settled).toBeUndefined();
    expect(kindsAt(result, "spec.predictor.model.storageUri")).toEqual(["notMapped"]);
  });

  it("that two fields name come from the one that counts, and the account says so", async () => {
    const result = await importText(
      kserve({
        model: {
          modelFormat: { name: "huggingface" },
          storageUri: "hf://Qwen/Qwen3-8B",
          args: ["--model_id=meta-llama/Llama-3.1-8B-Instruct", "--max-model-len=4096"],
          resources: { limits: { "nvidia.com/gpu": 1 } },
        },
      }),
    );
    expect(first(result)).toMatchObject({ model: "qwen3-8b" });
    expect(kindsAt(result, "spec.predictor.model.args[0]")).toEqual(["changed"]);
  });
});

describe("secrets", () => {
  const SECRETS = {
    "a flag of the server": command("--api-key=SECRET --hf-token hf_SECRET"),
    "a flag in words": compose({
      entrypoint: ["vllm", "serve", "Qwen/Qwen3-8B", "--max-model-len=4096", "--api-key=SECRET", "--api-key", "SECRET"],
    }),
    "the address of weights": kserve({
      model: {
        modelFormat: { name: "huggingface" },
        storageUri: "https://a.example.com/Qwen3-8B-Instruct?sig=SECRET",
        resources: { limits: { "nvidia.com/gpu": 1 } },
      },
    }),
    "a key of options": compose({
      command: "--model Qwen/Qwen3-8B --max-model-len 4096",
      logging: { options: { "splunk-token": "SECRET" } },
    }),
    "labels, init containers and sidecars": kserve({
      labels: { "example.com/token": "SECRET", team: "search" },
      initContainers: [
        { name: "a", image: "busybox:1.36", command: ["sh", "-c", "curl -u admin:SECRET http://x/y"] },
        { name: "b", image: "busybox:1.36", command: ["true"], env: [{ name: "PW", value: "SECRET" }] },
        { name: "c", image: "busybox:1.36", command: ["get", "--token", "SECRET"] },
      ],
      containers: [
        {
          name: "kserve-container",
          image: "vllm/vllm-openai:v0.33.0",
          args: ["--model=Qwen/Qwen3-8B", "--max-model-len=4096"],
          env: [{ name: "NCCL_DEBUG_FILE", value: "https://u:SECRET@x/y" }],
          resources: { limits: { "nvidia.com/gpu": 1 } },
        },
      ],
    }),
  };

  it.each(Object.entries(SECRETS))("of %s are copied nowhere", async (_, text) => {
    const result = await importText(text);
    expect(`${result.settled?.text}${reportJson("out", result)}`).not.toContain("SECRET");
  });

  it("are no numbers of tokens", async () => {
    const result = await importText(command("--max-num-batched-tokens=8192"));
    expect(first(result)).toMatchObject({ args: { "max-num-batched-tokens": 8192 } });
    const tgi = await importText(
      stringify({
        services: {
          a: {
            image: "ghcr.io/huggingface/text-generation-inference:3.3.4",
            command: "--model-id Qwen/Qwen2.5-7B-Instruct",
            environment: { MAX_INPUT_TOKENS: "1024" },
            gpus: "all",
          },
        },
      }),
    );
    expect(reasonsAt(tgi, "services.a.environment.MAX_INPUT_TOKENS")).not.toContain("secret");
  });
});

describe("labels of pods", () => {
  it("are those of the pod, never the document's keys", async () => {
    const result = await importText(
      stringify({
        apiVersion: "kaito.sh/v1beta1",
        kind: "Workspace",
        metadata: { name: "kt" },
        resource: { instanceType: "Standard_NC24ads_A100_v4", labelSelector: {} },
        inference: {
          template: {
            spec: {
              containers: [
                {
                  name: "inference",
                  image: "vllm/vllm-openai:v0.33.0",
                  args: ["--model=Qwen/Qwen3-8B", "--max-model-len=4096"],
                  resources: { limits: { "nvidia.com/gpu": 1 } },
                },
              ],
            },
          },
        },
      }),
    );
    expect(first(result)).toMatchObject({ model: "qwen3-8b" });
    expect(first(result)).not.toHaveProperty("pod");
  });
});

describe("names that every object has", () => {
  const names = fc.constantFrom(...Object.getOwnPropertyNames(Object.prototype).filter((name) => name !== "__proto__"));

  it("are words like others, wherever a table is asked", { timeout: 120_000 }, async () => {
    const files = (name: string): string[] => [
      stack(
        config({ extraArgs: [`--${name}`, "x", "--kv-cache-dtype", name, "--task", name, "--quantization", name] }),
      ),
      stringify({ ollama: { models: { pull: [name] } }, extraEnv: [{ name, value: "a" }] }),
      stringify({
        ollama: { models: { pull: ["qwen3:8b"] } },
        extraEnv: [{ name: "OLLAMA_KV_CACHE_TYPE", value: name }],
      }),
      stringify({
        apiVersion: "kubeai.org/v1",
        kind: "Model",
        spec: { engine: "VLLM", url: `${name.toLowerCase()}://bkt-a/x/Ours-8B` },
      }),
      kserve({ model: { modelFormat: { name: "huggingface" }, args: [`--${name}=1`, `--model_id={{.${name}}}`] } }),
      `apiVersion: v1\nkind: ${name}\n---\n${stack(config({}))}`,
    ];
    await fc.assert(
      fc.asyncProperty(names, async (name) => {
        for (const text of files(name)) {
          const { entries } = await importText(text);
          const mapped = entries.filter(({ kind, path }) => kind === "mapped" && path === "extraEnv[0]");
          expect(mapped).toEqual([]);
          expect(entries.map(({ why = "" }) => why).join()).not.toMatch(/native code|\[object/);
        }
      }),
      { numRuns: 6 },
    );
  });
});

describe("words of YAML 1.1", () => {
  it("are true and false, as Helm and Kubernetes read them", async () => {
    const values = await importText(
      "ollama: {gpu: {enabled: yes}, models: {pull: ['qwen3:8b']}}\nautoscaling: {enabled: On, maxReplicas: 4}",
    );
    expect(first(values)).toMatchObject({ replicas: { min: 1, max: 4 } });
    expect(values.settled?.models[0]?.draft.machine.vendor).toBe("nvidia");
    expect((await importText(stack({ enabled: "no" }).replace('"no"', "no"))).settled).toBeUndefined();
  });

  it("are words in quotes, as keys and in compose files", async () => {
    const quoted = await importText(stack({ enabled: "no" }).replace(/enabled: .*/, 'enabled: "no"'));
    expect(quoted.settled).toBeDefined();
    const service = { image: "ollama/ollama", command: "ollama run qwen3:8b", environment: "X" };
    const text = stringify({ services: { on: service } }).replace(
      "environment: X",
      "environment: { OLLAMA_DEBUG: on }",
    );
    const result = await importText(text);
    expect(first(result)).toMatchObject({ env: { OLLAMA_DEBUG: "on" } });
  });
});

describe("a report as JSON", () => {
  it("has no characters that reorder or hide text, and keeps their values", async () => {
    const result = await importText(stack({ ...config({}), "zz\u202e\u{e0041}": "\u202evalue" }));
    const text = reportJson("out", result);
    expect(text).not.toMatch(/[\u202e\u{e0041}]/u);
    expect(JSON.parse(text)).toMatchObject({ entries: result.entries });
  });
});
