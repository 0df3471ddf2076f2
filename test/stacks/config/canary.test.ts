import { describe, expect, it } from "vitest";
import { pathInFile, textInFile } from "../../../stacks/config";
import { parseWith, problemsWith } from "./samples";

const R1 = "1".repeat(40);
const R2 = "2".repeat(40);
const repository = "hf://Qwen/Qwen2.5-7B-Instruct";
const chat = { model: "qwen2.5-7b-instruct", source: `${repository}@${R1}`, concurrency: 3, domain: "legal" };
const small = { model: "llama-3.2-3b-instruct", engine: "ollama" };

function modelsWith(models: object) {
  const parsed = parseWith({ models });
  if (!parsed.ok) {
    throw new Error(JSON.stringify(parsed.problems));
  }
  return parsed.environment.models;
}

describe("a canary", () => {
  it("is a model behind its own, with what it does not say itself, but for replicas", () => {
    const models = modelsWith({
      chat: { ...chat, replicas: { min: 3 }, canary: { source: `${repository}@${R2}`, weight: 20 } },
      small,
    });
    expect(Object.keys(models)).toEqual(["chat", "chat-canary", "small"]);
    const { canary, ...model } = models.chat ?? {};
    expect(models["chat-canary"]).toEqual({
      ...model,
      source: `${repository}@${R2}`,
      servedName: "chat",
      replicas: { min: 1, max: 1 },
      firstRevision: R1,
      revisionOf: { model: "chat", weight: 20 },
    });
    expect(canary).toMatchObject({ weight: 20 });
  });

  it("gets no request unless a weight is written", () => {
    const models = modelsWith({ chat: { ...chat, canary: { engineVersion: "0.32.0" } } });
    expect(models["chat-canary"]?.revisionOf).toEqual({ model: "chat", weight: 0 });
  });

  it("of an engine with a registry of builds has its model's build only where it names none of its own", () => {
    const build = { ...small, quantization: "Q4_K_M" };
    const canaryOf = (canary: object) => modelsWith({ small: { ...build, canary } })["small-canary"];
    expect(canaryOf({ engineVersion: "0.32.0" })).toMatchObject({ quantization: "Q4_K_M" });
    expect(canaryOf({ source: "ollama://llama3.2:3b-instruct-q8_0" })?.quantization).toBeUndefined();
    const named = { ...small, source: "ollama://llama3.2:3b", canary: { quantization: "Q4_K_M" } };
    expect(modelsWith({ small: named })["small-canary"]?.source).toBeUndefined();
  });

  it.each<[string, object, { path: string; allowed: string; fix: string }]>([
    [
      "says nothing",
      { chat: { ...chat, canary: { weight: 5 } } },
      {
        path: "models.chat.canary",
        allowed: "at least one of source, quantization, engineVersion and image",
        fix: "add one",
      },
    ],
    [
      "has a model's name",
      { chat: { ...chat, canary: { engineVersion: "0.32.0" } }, "chat-canary": small },
      { path: "models.chat.canary", allowed: "models.chat-canary has it", fix: "rename models.chat-canary" },
    ],
    [
      "would have too long a name",
      { ["c".repeat(34)]: { ...chat, canary: { engineVersion: "0.32.0" } } },
      { path: `models.${"c".repeat(34)}.canary`, allowed: "at most 33 characters", fix: "a shorter name" },
    ],
    [
      "names a source that the engine does not read",
      { chat: { ...chat, canary: { source: "ollama://llama3.2:3b" } } },
      { path: "models.chat.canary.source", allowed: "hf:// or s3://", fix: "write source" },
    ],
    [
      "names an unknown quantization",
      { chat: { ...chat, canary: { quantization: "fp7" } } },
      { path: "models.chat.canary.quantization", allowed: "a weight format of vllm", fix: "one of these" },
    ],
    [
      "has its replicas in the wrong order",
      { chat: { ...chat, canary: { quantization: "fp8", replicas: { min: 3, max: 2 } } } },
      { path: "models.chat.canary.replicas.max", allowed: "at least replicas.min, 3", fix: "write max: 3" },
    ],
    [
      "gets more than all requests",
      { chat: { ...chat, canary: { quantization: "fp8", weight: 101 } } },
      { path: "models.chat.canary.weight", allowed: "from 0 to 100", fix: "100" },
    ],
    [
      "has a mistake of its model's, told once, there",
      { chat: { ...chat, pools: ["nowhere"], canary: { quantization: "fp8" } } },
      { path: "models.chat.pools[0]", allowed: "a name under pools", fix: "add the pool" },
    ],
  ])("is refused when it %s", (_, models, { path, allowed, fix }) => {
    const problems = problemsWith({ models });
    expect(problems.map((problem) => problem.path)).toEqual([path]);
    expect(problems[0]?.allowed).toContain(allowed);
    expect(problems[0]?.fix).toContain(fix);
  });

  it("answers to its model's names, adapters' too, which is no clash", () => {
    const adapters = { contracts: "s3://models/contracts" };
    expect(problemsWith({ models: { chat: { ...chat, adapters, canary: { quantization: "fp8" } } } })).toEqual([]);
  });

  it("may use the pool that is dedicated to its model", () => {
    const gpu = { shape: "VM.GPU.A10.2", maxNodes: 4, dedicatedTo: ["chat"] };
    const system = { shape: "VM.Standard.A1.Flex", ocpus: 4, memoryGiB: 24 };
    const models = { chat: { ...chat, pools: ["gpu"], canary: { quantization: "fp8" } } };
    expect(problemsWith({ pools: { system, gpu }, models })).toEqual([]);
  });
});

describe("firstRevision", () => {
  it.each([
    ["an engine that fetches its own", { small: { ...small, firstRevision: R1 } }, "models.small.firstRevision"],
    [
      "weights that somebody put there",
      { chat: { ...chat, source: "s3://models/chat", firstRevision: R1 } },
      "models.chat.firstRevision",
    ],
    ["a branch", { chat: { ...chat, firstRevision: "main" } }, "models.chat.firstRevision"],
  ])("is refused for %s", (_, models, path) => {
    expect(problemsWith({ models }).map((problem) => problem.path)).toEqual([path]);
  });
});

describe("a path of a canary", () => {
  const models = modelsWith({ chat: { ...chat, canary: { quantization: "fp8" } }, small });

  it.each([
    ["models.chat-canary", "models.chat.canary"],
    ["models.chat-canary.source", "models.chat.canary.source"],
    ["models.chat-canary.replicas.min", "models.chat.canary.replicas.min"],
    ["models.chat-canary.vllm.tensorParallel", "models.chat.vllm.tensorParallel"],
    ["models.small.source", "models.small.source"],
    ["models.constructor.source", "models.constructor.source"],
    ["pools.chat-canary.shape", "pools.chat-canary.shape"],
  ])("%s is %s in the file", (path, written) => {
    expect(pathInFile(path.split("."), models).join(".")).toBe(written);
    expect(textInFile(`Lower ${path}, or buy more.`, models)).toBe(`Lower ${written}, or buy more.`);
  });
});
