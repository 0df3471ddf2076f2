/** Objects that others name are those that the original's platform takes. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runtimeOf } from "../../../cli/import/formats/kserve-references";
import type { Imported } from "../../../cli/import/import-files";
import { documentsOf } from "../../../cli/import/read-documents";
import { inNamespaceOf } from "../../../cli/import/references";
import { importText, kindsAt } from "./imported";

const contexts = ({ settled }: Imported) => settled?.models.map(({ contextTokens }) => contextTokens);

/** A runtime that serves contexts of a length of its own. */
const runtime = (
  metadata: string,
  tokens: number,
  more = "",
  format = "name: huggingface, autoSelect: true",
  kind = "ServingRuntime",
) => `
apiVersion: serving.kserve.io/v1alpha1
kind: ${kind}
metadata: { ${metadata} }
spec:
  supportedModelFormats: [{ ${format} }]
  containers: [{ name: kserve-container, image: "vllm/vllm-openai:v0.33.0", args: [--max-model-len=${tokens}] }]
  ${more}
`;
const service = (model = "", metadata = "namespace: mine", predictor = "") => `
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: { name: s, ${metadata} }
spec: { predictor: { ${predictor} model: { ${model} modelFormat: { name: huggingface }, storageUri: hf://Qwen/Qwen3-8B, resources: { limits: { nvidia.com/gpu: 1 } } } } }
`;
const read = (...texts: string[]) => importText(texts.join("---"));
const cluster = "ClusterServingRuntime";
const auto = "name: huggingface, autoSelect: true";

describe("a runtime", () => {
  const of = (namespace: string) => `name: r, namespace: ${namespace}`;
  interface Case {
    readonly which: string;
    /** The one with 2048 tokens is taken. */
    readonly runtimes: readonly string[];
    readonly named?: boolean;
    readonly version?: string;
  }
  const cases: readonly Case[] = [
    { which: "of its namespace", named: true, runtimes: [runtime(of("other"), 1024), runtime(of("mine"), 2048)] },
    {
      which: "of its namespace before one that states none",
      named: true,
      runtimes: [runtime("name: r", 1024), runtime(of("mine"), 2048)],
    },
    {
      which: "of its namespace before the cluster's",
      named: true,
      runtimes: [runtime("name: r", 1024, "", auto, cluster), runtime(of("mine"), 2048)],
    },
    {
      which: "of the cluster before another namespace's",
      named: true,
      runtimes: [runtime(of("other"), 1024), runtime("name: r", 2048, "", auto, cluster)],
    },
    { which: "that is not disabled", runtimes: [runtime("name: a", 1024, "disabled: true"), runtime("name: b", 2048)] },
    {
      which: "of the highest priority",
      runtimes: [
        runtime("name: a", 1024, "", `${auto}, priority: 1`),
        runtime("name: b", 2048, "", `${auto}, priority: 2`),
      ],
    },
    {
      which: "with a priority before one without",
      runtimes: [runtime("name: a", 1024), runtime("name: b", 2048, "", `${auto}, priority: 1`)],
    },
    { which: "for one node", runtimes: [runtime("name: a", 1024, "workerSpec: {}"), runtime("name: b", 2048)] },
    {
      which: "of the same version of a format",
      version: "version: '1', ",
      runtimes: [
        runtime("name: a", 1024, "", `${auto}, version: '2'`),
        runtime("name: b", 2048, "", `${auto}, version: '1'`),
      ],
    },
  ];

  it.each(cases)("is the one $which", async ({ runtimes, named = false, version = "" }) => {
    const text = service(named ? "runtime: r," : "").replace("modelFormat: { ", `modelFormat: { ${version}`);
    expect(contexts(await read(...runtimes, text))).toEqual([2048]);
  });

  it("of another namespace is none", async () => {
    const result = await read(runtime("name: r, namespace: other", 1024), service("runtime: r,"));
    expect(contexts(result)).not.toEqual([1024]);
    expect(kindsAt(result, "spec.predictor.model.runtime")).toEqual(["notMapped"]);
  });

  it("that is disabled starts nothing, and the report says so", async () => {
    const result = await read(runtime("name: r", 1024, "disabled: true"), service("runtime: r,"));
    expect(contexts(result)).not.toEqual([1024]);
    expect(kindsAt(result, "spec.predictor.model.runtime")).toEqual(["wrong"]);
  });

  it("is never a disabled one or one of another namespace, whatever the order of the files", () => {
    const one = fc.record({
      namespace: fc.constantFrom("mine", "other"),
      disabled: fc.boolean(),
      priority: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 5 }), (runtimes) => {
        const texts = runtimes.map(({ namespace, disabled, priority }, index) =>
          runtime(
            `name: r${index}, namespace: ${namespace}`,
            1024 + index,
            `disabled: ${disabled}`,
            priority === undefined ? auto : `${auto}, priority: ${priority}`,
          ),
        );
        const [asked, ...all] = documentsOf("x.yaml", [service(), ...texts].join("---"));
        const able = runtimes.filter(({ namespace, disabled }) => namespace === "mine" && !disabled);
        const best = Math.max(...able.map(({ priority = 0 }) => priority));
        const taken = asked === undefined ? undefined : runtimeOf(asked, all);
        const index = all.findIndex(({ root }) => root === taken?.root);
        expect(index < 0 ? undefined : (runtimes[index]?.priority ?? 0)).toBe(able.length === 0 ? undefined : best);
      }),
    );
  });
});

describe("a configuration of LLMInferenceServices", () => {
  const config = (metadata: string, tokens: number) => `
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceServiceConfig
metadata: { ${metadata} }
spec: { template: { containers: [{ name: main, args: [--max-model-len=${tokens}] }] } }
`;
  const llm = `
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: { name: q, namespace: mine }
spec: { model: { uri: hf://Qwen/Qwen3-8B }, baseRefs: [{ name: c }], parallelism: { tensor: 1 } }
`;

  it.each([
    ["of its namespace", [config("name: c, namespace: other", 1024), config("name: c, namespace: mine", 2048)]],
    [
      "of its namespace before KServe's own",
      [config("name: c, namespace: kserve", 1024), config("name: c, namespace: mine", 2048)],
    ],
    ["of KServe's own", [config("name: c, namespace: other", 1024), config("name: c, namespace: kserve", 2048)]],
  ])("is the one %s", async (_, configs) => {
    expect(contexts(await read(...configs, llm))).toEqual([2048]);
  });
});

describe("a ConfigMap of KAITO", () => {
  const map = (namespace: string, tokens: number) => `
apiVersion: v1
kind: ConfigMap
metadata: { name: flags, namespace: ${namespace} }
data: { inference_config.yaml: "vllm: { max-model-len: ${tokens} }" }
`;

  it("is the one of the workspace's namespace", async () => {
    const workspace = `
apiVersion: kaito.sh/v1beta1
kind: Workspace
metadata: { name: w, namespace: mine }
resource: { instanceType: Standard_NC24ads_A100_v4 }
inference: { preset: { name: llama-3.1-8b-instruct }, config: flags }
`;
    expect(contexts(await read(map("other", 1024), map("mine", 2048), workspace))).toEqual([2048]);
  });
});

describe("objects of a namespace", () => {
  it("are its own first, then those that state none, and no others", () => {
    const document = (namespace: string | undefined) =>
      documentsOf("x.yaml", JSON.stringify({ metadata: { name: "a", ...(namespace && { namespace }) } }))[0];
    const all = ["other", undefined, "mine"].flatMap((namespace) => document(namespace) ?? []);
    const own = { metadata: { namespace: "mine" } };
    const found = inNamespaceOf(own, all).map(({ root }) => (root.metadata as { namespace?: string }).namespace);
    expect(found).toEqual(["mine", undefined]);
  });
});

describe("a list of objects", () => {
  it("is read as its objects, each at its own lines", async () => {
    const item = (name: string) =>
      `{ apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, metadata: { name: ${name} }, spec: { predictor: { model: { modelFormat: { name: huggingface }, storageUri: hf://Qwen/Qwen3-8B, args: [--max-model-len=4096] } } } }`;
    const result = await importText(`apiVersion: v1\nkind: List\nitems:\n- ${item("a")}\n- ${item("b")}\n`);
    expect(result.settled?.models.map(({ key }) => key)).toEqual(["a", "b"]);
    const places = result.entries.filter(({ to }) => to === "models.*.contextTokens");
    expect(places.map(({ path, line }) => [path, line])).toEqual([
      ["items[0].spec.predictor.model.args[0]", 4],
      ["items[1].spec.predictor.model.args[0]", 5],
    ]);
  });

  it("of one kind gives it to its objects", async () => {
    const result = await importText(
      "apiVersion: kubeai.org/v1\nkind: ModelList\nitems: [{ metadata: { name: m }, spec: { url: hf://Qwen/Qwen3-8B, engine: VLLM, resourceProfile: nvidia-gpu-l4:1 } }]",
    );
    expect(result.settled?.models.map(({ key }) => key)).toEqual(["m"]);
  });
});

describe("models that values of Ollama make", () => {
  const values = (models: string) => importText(`ollama: { models: { ${models} } }`);
  const made = '{ name: big, template: "FROM qwen3:8b\\nPARAMETER num_ctx 16384\\nSYSTEM be kind" }';

  it("are the ones that they build on, with their length, under their name", async () => {
    const result = await values(`create: [${made}], run: [big]`);
    expect(result.settled?.models.map(({ draft }) => [draft.weights, draft.settings])).toEqual([
      ["qwen3:8b", expect.objectContaining({ servedName: "big", contextTokens: 16_384 })],
    ]);
    expect(kindsAt(result, "ollama.models.run[0]")).toEqual(["changed"]);
  });

  it("are one with a model that is fetched as well", async () => {
    const result = await values(`pull: ['qwen3:8b'], create: [${made}]`);
    expect(result.settled?.models.map(({ draft }) => draft.settings)).toEqual([
      expect.objectContaining({ servedName: "qwen3:8b", contextTokens: 16_384 }),
    ]);
    expect(kindsAt(result, "ollama.models.create[0].name")).toEqual(["notMapped"]);
  });

  it("are lost where they build on a file", async () => {
    const result = await values("pull: ['qwen3:8b'], create: [{ name: big, template: 'FROM ./x.gguf' }]");
    expect(kindsAt(result, "ollama.models.create[0]")).toEqual(["notMapped"]);
  });

  it("are none where the chart is switched off", async () => {
    const result = await importText("ollama: { enabled: false, ollama: { models: { pull: [llama3.1] } } }");
    expect(result.settled).toBeUndefined();
  });
});

describe("a catalogue of KubeAI", () => {
  it("that overrides the chart's own is no account of its models", async () => {
    const result = await importText("catalog: { qwen3-8b: { enabled: true, minReplicas: 1 } }");
    expect(result.settled).toBeUndefined();
    expect(result.entries.find(({ path }) => path === "catalog.qwen3-8b")?.why).toContain("helm template");
  });
});
