import { describe, expect, it } from "vitest";
import { requireChatTemplate } from "../../../components/storage/scripts/chat-template.ts";
import { modelFiles } from "../../../components/storage/scripts/choices.ts";
import type { Repository } from "../../../components/storage/scripts/hugging-face.ts";
import { wantedTemplate } from "../../../components/storage/wanted-template";
import { modelPlan } from "../../harness/plans";

const WANTED = {
  model: "models.chat",
  key: "models.chat.vllm.chatTemplate",
  builtIn: ["minicpmv", "DeepseekV32ForCausalLM"],
};
const COMMIT = "0123456789abcdef0123456789abcdef01234567";

/** A repository of small texts. */
function repositoryOf(files: Readonly<Record<string, string>>): Repository {
  return {
    repository: "acme/llama-ft",
    commit: async () => COMMIT,
    files: async () => [],
    text: async (_, path) => files[path] ?? "",
    download: () => {
      throw new Error("nothing is copied");
    },
  };
}

const looked = (files: Readonly<Record<string, string>>) =>
  requireChatTemplate(repositoryOf(files), COMMIT, Object.keys(files), WANTED);

const LLAMA = JSON.stringify({ model_type: "llama", architectures: ["LlamaForCausalLM"] });

describe("a repository", () => {
  it.each([
    ["without any template", { "config.json": LLAMA }],
    ["with an empty one", { "config.json": LLAMA, "tokenizer_config.json": '{"chat_template":null}' }],
    ["whose tokenizer_config.json cannot be read", { "tokenizer_config.json": "{" }],
    ["with a template in a folder that transformers does not read", { "old/chat_template.jinja": "x" }],
  ])("%s is refused", async (_, files) => {
    await expect(looked(files)).rejects.toThrow(
      "Every chat would answer 400. Write models.chat.task: completion, or give models.chat.vllm.chatTemplate",
    );
  });

  it.each([
    ["a file", { "chat_template.jinja": "x" }],
    ["a file of its processor", { "chat_template.json": "{}" }],
    ["one of several files", { "additional_chat_templates/tool_use.jinja": "x" }],
    ["its tokenizer", { "tokenizer_config.json": '{"chat_template":"{{ messages }}"}' }],
    ["its tokenizer, by name", { "tokenizer_config.json": '{"chat_template":[{"name":"default","template":"x"}]}' }],
    ["its processor", { "processor_config.json": '{"chat_template":"x"}' }],
    ["Mistral's tokenizer", { "tekken.json": "{}" }],
    ["the engine, for the model's type", { "config.json": '{"model_type":"minicpmv"}' }],
    ["the engine, for the model's class", { "config.json": '{"architectures":["DeepseekV32ForCausalLM"]}' }],
  ])("has its template from %s", async (_, files) => {
    await expect(looked(files)).resolves.toBeUndefined();
  });

  it("is refused before any of its weights is copied", async () => {
    const repository = repositoryOf({ "config.json": LLAMA });
    const listed = ["config.json", "model.safetensors"].map((path) => ({ path, size: 1, gitBlob: "0" }));
    const choose = (template?: typeof WANTED) =>
      modelFiles({ safetensorsOnly: false, withCode: false, template })(repository, COMMIT, listed);
    await expect(choose(WANTED)).rejects.toThrow("acme/llama-ft@0123456789abcdef0123456789abcdef01234567 has no chat");
    await expect(choose()).resolves.toEqual(["config.json", "model.safetensors"]);
  });
});

describe("a template is wanted", () => {
  const own = { kind: "huggingface", repository: "acme/llama-ft", revision: COMMIT } as const;
  const known = { ...own, repository: "meta-llama/Llama-3.1-8B-Instruct" };

  it.each(["vllm", "ray"] as const)("of a chat model outside the catalogue, by %s", (engine) => {
    expect(wantedTemplate(modelPlan({ name: "chat", engine, task: "chat", source: own }), own)).toMatchObject({
      model: "models.chat",
      key: `models.chat.${engine}.chatTemplate`,
      builtIn: expect.arrayContaining(["minicpmv", "DeepseekV32ForCausalLM"]),
    });
  });

  it.each([
    ["a repository of the catalogue", {}, known],
    ["another task", { task: "completion" }, own],
    ["an engine that keeps templates of its own", { engine: "triton" }, own],
    ["a template of the user's", { chatTemplate: { file: "a.jinja", text: "x" } }, own],
    ["a template of the image's", { engineSettings: { toolTemplate: "tool_chat_template_llama4_json.jinja" } }, own],
    ["a tokenizer mode of the user's", { args: { "tokenizer-mode": "mistral" } }, own],
    ["code of the repository", { args: { "trust-remote-code": true } }, own],
  ] as const)("of no model with %s", (_, changed, source) => {
    const model = modelPlan({ name: "chat", engine: "vllm", task: "chat", source, ...changed });
    expect(wantedTemplate(model, source)).toBeUndefined();
  });
});
