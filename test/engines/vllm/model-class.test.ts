import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundledIn } from "../../../catalog/bundled-engines";
import { findModel, modelNames } from "../../../catalog/models";
import { modelEngineVersion } from "../../../engines";
import { raySettings } from "../../../engines/ray/settings";
import type { ServedModel } from "../../../engines/served-model";
import { classFinding } from "../../../engines/vllm/model-class";
import { vllmOptions } from "../../../engines/vllm/options";
import { vllmReleases } from "../../../engines/vllm/releases";
import { vllmSettings } from "../../../engines/vllm/settings";
import { readModelConfig } from "../../../planner/model/config-json";
import { architectureOf, modelOf } from "../../planner/fixtures";
import { defaultConfig, families } from "../../planner/model/families/compare";
import { environmentText, rightEnvironment } from "../../stacks/config/samples";
import { planText } from "../../stacks/planned";

const NEWEST = vllmOptions.options.version;
const { classes } = vllmReleases;

const llama = {
  model_type: "llama",
  hidden_size: 4096,
  intermediate_size: 11_008,
  num_hidden_layers: 32,
  num_attention_heads: 32,
  num_key_value_heads: 32,
  vocab_size: 64_000,
  max_position_embeddings: 4096,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: false,
};

/** A model of these classes, with the layers of a Llama unless a config says otherwise. */
function ofClasses(architectures: readonly string[], changes: Partial<ServedModel> = {}, config: object = llama) {
  const source = { kind: "huggingface", repository: "org/own", revision: "main" } as const;
  return modelOf("qwen2.5-0.5b-instruct", {
    architecture: readModelConfig({ ...config, architectures }),
    source,
    ...changes,
  });
}

function verdictOf(model: ServedModel): string {
  return classFinding(model)?.verdict ?? "served";
}

describe("the record of classes", () => {
  it("names releases that were read, and each class once for a release", () => {
    const known = (release: string | undefined) => release === undefined || vllmReleases.releases.includes(release);
    const rows = [...(classes?.own ?? []), ...(classes?.ofTransformers ?? [])];
    expect(rows.length).toBeGreaterThan(1000);
    expect(rows.filter(({ since, until }) => !known(since) || !known(until))).toEqual([]);
    expect(vllmReleases.releases.at(-1)).toBe(NEWEST);
  });

  it("agrees with the registries that were read for the counts of families", () => {
    const differing = families.flatMap(({ className, servedBy, config }) =>
      ["0.19.1", "0.20.2", "0.33.0"].filter((engineVersion) => {
        const own = classes?.own.filter(({ name }) => name === className) ?? [];
        const model = ofClasses([className], { engineVersion, architecture: readOr(config, className) });
        return servedBy.includes(engineVersion) && (own.length === 0 || verdictOf(model) !== "served");
      }),
    );
    expect(differing).toEqual([]);
  });
});

/** Families that no reader knows are judged with the layers of a Llama. */
function readOr(config: object, className: string) {
  try {
    return readModelConfig({ ...config, architectures: [className] });
  } catch {
    return readModelConfig({ ...llama, architectures: [className] });
  }
}

describe("models of the catalogue", () => {
  it.each(modelNames())("%s names its class, and the pinned releases have it", (name) => {
    const architecture = architectureOf(name);
    const task = findModel(name)?.task ?? "chat";
    expect(architecture.classes).toHaveLength(1);
    const rays = bundledIn("ray-llm")?.releases.map(({ brings }) => brings) ?? [];
    const versions = task === "rerank" ? [NEWEST] : [NEWEST, ...rays];
    const model = (engineVersion: string) => ({ ...modelOf("phi-4"), architecture, task, engineVersion });
    expect(versions.map((version) => [version, verdictOf(model(version))])).toEqual(
      versions.map((version) => [version, "served"]),
    );
  });

  it.each([
    ["qwen3-8b", "0.8.4", "0.8.2"],
    ["qwen3-30b-a3b", "0.8.4", "0.8.1"],
    ["llama-4-scout-17b-16e-instruct", "0.8.3", "0.8.2"],
    ["glm-4.5", "0.10.0", "0.9.2"],
    ["gpt-oss-20b", "0.10.1", "0.10.0"],
    ["minimax-m2.5", "0.11.1", "0.11.0"],
    ["kimi-k2.5", "0.15.0", "0.14.1"],
    ["devstral-2-123b-instruct", "0.20.0", "0.19.0"],
    ["nemotron-3-nano-30b-a3b", "0.9.1", "0.9.0"],
  ])("%s needs %s: %s is refused, with the first release", (name, first, older) => {
    expect(classFinding(modelOf(name, { engineVersion: first }))).toBeUndefined();
    expect(classFinding(modelOf(name, { engineVersion: older }))).toMatchObject({
      verdict: "refused",
      span: { since: first },
    });
  });
});

describe("families that ended", () => {
  const bamba = { config: defaultConfig("bamba"), name: "BambaForCausalLM" };

  it.each([
    ["0.23.0", "served"],
    ["0.24.0", "refused"],
    // its class in Transformers has layers without attention
    ["0.33.0", "refused"],
  ])("Bamba on %s is %s", (engineVersion, verdict) => {
    expect(verdictOf(ofClasses([bamba.name], { engineVersion }, bamba.config))).toBe(verdict);
  });

  it.each([
    ["BaichuanForCausalLM", "0.24.0"],
    ["QWenLMHeadModel", "0.23.0"],
    ["InternLMForCausalLM", "0.23.0"],
    ["XverseForCausalLM", "0.23.0"],
    ["AquilaForCausalLM", "0.24.0"],
    ["MPTForCausalLM", "0.28.0"],
    ["ArcticForCausalLM", "0.28.0"],
    ["Phi3SmallForCausalLM", "0.9.2"],
  ])("%s is refused after %s, with code of its repository too", (name, until) => {
    const args = { "trust-remote-code": true };
    const refused = { verdict: "refused", span: { until } };
    expect(classFinding(ofClasses([name], { args, engineVersion: until }))).toBeUndefined();
    expect(classFinding(ofClasses([name]))).toMatchObject(refused);
    expect(classFinding(ofClasses([name], { args }))).toMatchObject(refused);
    expect(verdictOf(ofClasses([name], { args: { ...args, "model-impl": "transformers" } }))).toBe("doubtful");
  });

  it.each(["Dots1ForCausalLM", "PersimmonForCausalLM"])("%s may run as Transformers has it: advice", (name) => {
    expect(classFinding(ofClasses([name]))?.verdict).toBe("doubtful");
    const { problems, advice } = vllmSettings.outcome(undefined, ofClasses([name]));
    expect([problems, advice?.map(({ rule }) => rule)]).toEqual([[], ["transformers-class"]]);
  });
});

describe("a config.json", () => {
  const unknown = ["BrontosaurusForCausalLM"];

  it.each([
    ["of a class that nobody has", {}, "refused"],
    ["with code of its repository", { args: { "trust-remote-code": true } }, "doubtful"],
    ["with another class under hf-overrides", { args: { "hf-overrides": { architectures: ["X"] } } }, "served"],
    ["on a release that nobody read", { engineVersion: "0.99.0" }, "served"],
  ] as const)("%s", (_, changes, verdict) => {
    expect(verdictOf(ofClasses(unknown, changes))).toBe(verdict);
  });

  it("without classes, or of a name with an unknown ending, is not judged", () => {
    expect(verdictOf({ ...ofClasses(unknown), architecture: readModelConfig(llama) })).toBe("served");
    expect(verdictOf(ofClasses(["Brontosaurus"]))).toBe("served");
  });

  it("is served by the second class that it names", () => {
    expect(verdictOf(ofClasses([...unknown, "LlamaForCausalLM"]))).toBe("served");
  });

  it("of Mistral may lie beside a file that names another class, in a bucket", () => {
    const mistral = { ...llama, model_type: "ministral3" };
    const on = (source: ServedModel["source"]) =>
      verdictOf(ofClasses(["Ministral3ForCausalLM"], { engineVersion: "0.17.1", source }, mistral));
    expect(on({ kind: "bucket", uri: "s3://models/own" })).toBe("served");
    expect(on({ kind: "huggingface", repository: "org/own", revision: "main" })).toBe("refused");
  });

  it.each([
    ["Qwen3ForSequenceClassification", "rerank", "0.33.0", "served"],
    ["Qwen3Model", "embedding", "0.10.1", "served"],
    ["ModernBertForMaskedLM", "embedding", "0.33.0", "doubtful"],
    // refused for another reason: they would run on the engine before V1
    ["Qwen3Model", "embedding", "0.9.2", "served"],
    ["Phi3SmallModel", "embedding", "0.33.0", "refused"],
  ] as const)("%s for %s on %s: names with other endings count", (name, task, engineVersion, verdict) => {
    expect(verdictOf(ofClasses([name], { task, engineVersion }))).toBe(verdict);
  });

  it("of a class that Transformers had before vLLM did is doubtful between", () => {
    const on = (engineVersion: string) => verdictOf(modelOf("qwen3-8b", { engineVersion }));
    expect(["0.8.2", "0.8.3", "0.8.4"].map(on)).toEqual(["refused", "doubtful", "served"]);
  });
});

describe("refusals", () => {
  const messages = (outcome: { problems: readonly { rule: string; message: string }[] }) =>
    outcome.problems.filter(({ rule }) => rule === "engine-release").map(({ message }) => message);

  it("name the class, the release and what to write", () => {
    const [older] = messages(vllmSettings.outcome(undefined, modelOf("qwen3-8b", { engineVersion: "0.8.0" })));
    expect(older).toMatch(/0\.8\.0.*Qwen3ForCausalLM.*0\.8\.4 or newer.*engineVersion: "0\.8\.4"/s);
    const [ended] = messages(vllmSettings.outcome(undefined, ofClasses(["BaichuanForCausalLM"])));
    expect(ended).toMatch(/0\.33\.0.*BaichuanForCausalLM.*engineVersion: "0\.24\.0" or older/s);
    const [never] = messages(vllmSettings.outcome(undefined, ofClasses(["BrontosaurusForCausalLM"])));
    expect(never).toMatch(/0\.33\.0.*BrontosaurusForCausalLM.*engine: external/s);
  });

  it("with Ray as executor, whose image has vLLM 0.17.1", () => {
    const block = { distributedExecutor: "ray" } as const;
    const { engineSettings = {} } = vllmSettings.requested(block);
    const engineVersion = modelEngineVersion({ engine: "vllm", engineSettings });
    const [message] = messages(
      vllmSettings.outcome(block, modelOf("devstral-2-123b-instruct", { engineSettings, engineVersion })),
    );
    expect(message).toMatch(/0\.17\.1.*Ministral3ForCausalLM.*0\.20\.0.*distributedExecutor: native/s);
  });

  it.each([
    ["2.56.0", "0.22.0", "ArcticForCausalLM", false],
    ["2.60.0", "0.29.0", "ArcticForCausalLM", true],
    ["2.56.0", "0.22.0", "BambaForCausalLM", false],
    ["2.60.0", "0.29.0", "BambaForCausalLM", true],
  ])("on Ray %s, which computes with vLLM %s: %s %s", (engineVersion, inRay, name, isRefused) => {
    const [message] = messages(raySettings.outcome(undefined, ofClasses([name], { engineVersion })));
    expect(message !== undefined).toBe(isRefused);
    expect(message ?? `${inRay} engine: vllm`).toMatch(new RegExp(`${inRay}.*engine: vllm`, "s"));
  });
});

describe("plans", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "classes-"));
    const own = { ...llama, num_hidden_layers: 4 };
    const write = (name: string, content: object) => writeFileSync(join(folder, name), JSON.stringify(content));
    write("ended.json", { ...own, architectures: ["InternLMForCausalLM"] });
    write("fallback.json", { ...own, architectures: ["Dots1ForCausalLM"] });
    write("own.json", { ...own, architectures: ["LlamaForCausalLM"] });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const ownWeights = (config: string) => ({ config, source: "s3://models/own" });

  it.each([
    ["qwen3-8b on a release before its class", { model: "qwen3-8b", engineVersion: "0.8.2" }, ["engine-release"]],
    ["qwen3-8b on the first release", { model: "qwen3-8b", engineVersion: "0.8.4" }, []],
    ["a config.json of a class that ended", ownWeights("ended.json"), ["engine-release"]],
    ["the same on the last release", { ...ownWeights("ended.json"), engineVersion: "0.23.0" }, []],
    [
      "the same in the newest Ray",
      { ...ownWeights("ended.json"), engine: "ray", engineVersion: "2.60.0" },
      ["engine-release"],
    ],
    ["a config.json of a class that Transformers has", ownWeights("fallback.json"), ["transformers-class"]],
    ["a config.json of Llama", ownWeights("own.json"), []],
  ])("%s", async (_, model, expected) => {
    const models = { chat: { ...model, contextTokens: 2048, concurrency: 1 } };
    const { plan } = await planText(environmentText({ ...rightEnvironment, models }), folder);
    const told = plan.problems.filter(({ rule }) => ["engine-release", "transformers-class"].includes(rule));
    expect(told.map(({ rule }) => rule)).toEqual(expected);
    const severities = expected.map((rule) => (rule === "engine-release" ? "mandatory" : "advisory"));
    expect(told.map(({ severity, subject }) => [severity, subject])).toEqual(
      severities.map((severity) => [severity, "models.chat"]),
    );
  });
});
