/** What people type who know the keys of an engine, and not where they stand. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { engineNames, settingPath, settingsOf } from "../../../engines";
import { fieldAt } from "../../../stacks/config/field-text";
import { problemsWith } from "./samples";

const base = { model: "qwen2.5-7b-instruct" };
const ollama = { model: "llama-3.2-3b-instruct", engine: "ollama" };

function told(model: Record<string, unknown>) {
  return problemsWith({ models: { chat: model } }).map(({ path, value, allowed, fix }) => ({
    path,
    value,
    allowed,
    fix,
  }));
}

describe("keys of an engine beside its block", () => {
  it("are told as one, with the block to write", () => {
    expect(told({ ...base, tensorParallel: 2, kvCacheDtype: "fp8", chatTemplate: "templates/chat.jinja" })).toEqual([
      {
        path: "models.chat.tensorParallel",
        value: '["tensorParallel", "kvCacheDtype", "chatTemplate"]',
        allowed: "only inside vllm",
        fix: "write vllm: {tensorParallel: 2, kvCacheDtype: fp8, chatTemplate: templates/chat.jinja} in their place",
      },
    ]);
    expect(told({ ...base, toolCalling: true })).toEqual([
      {
        path: "models.chat.toolCalling",
        value: '"toolCalling"',
        allowed: "only inside vllm",
        fix: "write vllm: {toolCalling: true} in its place",
      },
    ]);
  });

  it("go to the keys that the block has already", () => {
    const [problem, ...others] = told({ ...base, loading: "stream", maxNumSeqs: 64, vllm: { tensorParallel: 2 } });
    expect(others).toEqual([]);
    expect(problem?.fix).toBe("add to vllm: {loading: stream, maxNumSeqs: 64}, and remove loading, maxNumSeqs here");
  });

  it("do not hide what else is wrong", () => {
    const paths = told({ ...base, tensorParallel: 2, concurrency: 0, quantisation: "fp8", vllm: { loading: "strem" } });
    expect(paths.map(({ path, fix }) => [path, fix])).toEqual([
      ["models.chat.tensorParallel", "add to vllm: {tensorParallel: 2}, and remove tensorParallel here"],
      ["models.chat.concurrency", expect.stringContaining("write for example")],
      ["models.chat.quantisation", 'did you mean "quantization"?'],
      ["models.chat.vllm.loading", 'did you mean "stream"?'],
    ]);
  });

  it("are another engine's, on this one", () => {
    expect(told({ ...ollama, tensorParallel: 2, loading: "stream" })).toEqual([
      {
        path: "models.chat.tensorParallel",
        value: '["tensorParallel", "loading"]',
        allowed: "only with engine vllm, as vllm: {tensorParallel: 2, loading: stream}",
        fix: "remove tensorParallel, loading, or write engine: vllm",
      },
    ]);
  });
});

describe("the block of an engine", () => {
  it("is refused on another one", () => {
    expect(told({ ...ollama, vllm: { tensorParallel: 2 } })).toEqual([
      {
        path: "models.chat.vllm",
        value: '"vllm"',
        allowed: "only with engine vllm",
        fix: "remove vllm, or write engine: vllm",
      },
    ]);
  });

  it.each<[string, Record<string, unknown>, string, string]>([
    ["a slip in its name", { ...base, vlm: { tensorParallel: 2 } }, "vlm", 'did you mean "vllm"?'],
    [
      "a slip in a key",
      { ...base, vllm: { tensorParalel: 2 } },
      "vllm.tensorParalel",
      'did you mean "tensorParallel"?',
    ],
    ["a slip beside it", { ...base, tensorParalel: 2 }, "tensorParalel", 'did you mean "tensorParallel" inside vllm?'],
    [
      "a common key",
      { ...base, vllm: { contextTokens: 4096 } },
      "vllm.contextTokens",
      "write it next to vllm, not in it",
    ],
    ["a key that nobody has", { ...base, vllm: { zzz: 1 } }, "vllm.zzz", "remove it: nothing reads it"],
    ["no mapping", { ...base, vllm: true }, "vllm", "defaults"],
    ["a wrong value", { ...base, vllm: { gpuMemoryUtilization: 2 } }, "vllm.gpuMemoryUtilization", "0.97"],
    ["a slip in the engine", { ...base, engine: "vlm", vllm: {} }, "engine", 'did you mean "vllm"?'],
  ])("with %s", (_, model, path, fix) => {
    const problems = told(model);
    expect(problems.map((problem) => problem.path)).toEqual([`models.chat.${path}`]);
    expect(problems[0]?.fix).toContain(fix);
  });

  it("is whatever the engine's descriptor says: each of its keys is read there, and nowhere else", () => {
    for (const engine of engineNames) {
      for (const key of Object.keys(settingsOf(engine).schema.shape)) {
        expect(settingPath(engine, key)).toBe(`${engine}.${key}`);
        const at = (path: string) => fieldAt(["models", "chat", ...path.split(".")], { models: { chat: { engine } } });
        expect([key, at(`${engine}.${key}`)?.description]).toEqual([key, expect.stringMatching(/\S/)]);
        expect([key, at(key)]).toEqual([key, undefined]);
      }
      expect(settingPath(engine, "contextTokens")).toBe("contextTokens");
    }
  });

  it("never lets a key pass that nobody reads, wherever it stands", () => {
    const known = engineNames.flatMap((engine) => Object.keys(settingsOf(engine).schema.shape));
    const key = fc.oneof(fc.constantFrom(...known), fc.stringMatching(/^[a-z][A-Za-z]{0,12}$/));
    const right = new Set(Object.keys(fieldKeys()));
    fc.assert(
      fc.property(fc.uniqueArray(key, { minLength: 1, maxLength: 5 }), fc.constantFrom(base, ollama), (keys, model) => {
        const wrong = keys.filter((each) => !right.has(each) && each !== "vllm");
        const problems = told({ ...model, ...Object.fromEntries(wrong.map((each) => [each, 1])) });
        const shown = problems.map(({ value }) => value).join(" ");
        expect(wrong.filter((each) => !shown.includes(`"${each}"`))).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });
});

/** Keys of any model. */
function fieldKeys(): Readonly<Record<string, unknown>> {
  return fieldAt(["models", "chat"])?.oneOf?.[0]?.properties ?? {};
}
