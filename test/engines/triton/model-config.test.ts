import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { llmapiConfig, llmapiProblems } from "../../../engines/triton/llmapi";
import { configProblems, configText } from "../../../engines/triton/model-config";
import upstream from "../../fixtures/upstream/triton.json";
import { anyCharacter } from "../../harness/any-character";

const paths = (message: unknown) => configProblems(message).map(({ path }) => path);

describe("config.pbtxt", () => {
  it("has the fields that the release's protobuf has", () => {
    const { messages } = upstream.modelConfig as unknown as {
      messages: Readonly<Record<string, readonly (string | { readonly name: string })[]>>;
    };
    const named = messages.ModelConfig?.map((field) => (typeof field === "string" ? field : field.name)) ?? [];
    expect(named.length).toBeGreaterThan(20);
    // Each is known: what is wrong is the value.
    for (const name of named) {
      expect(configProblems({ [name]: undefined })[0]?.allowed).not.toContain("a field of");
    }
  });

  it.each([
    ["an unknown field", { max_batchsize: 4 }, "max_batchsize"],
    ["an unknown field inside", { instance_group: [{ count: 1, gpu: [0] }] }, "instance_group.0.gpu"],
    ["an unknown kind", { instance_group: [{ kind: "KIND_TPU" }] }, "instance_group.0.kind"],
    ["text for a number", { max_batch_size: "4" }, "max_batch_size"],
    ["a number beyond its type", { max_batch_size: 2 ** 31 }, "max_batch_size"],
    ["a fraction", { max_batch_size: 1.5 }, "max_batch_size"],
    ["one for several", { input: { name: "a" } }, "input"],
    ["several for one", { dynamic_batching: [] }, "dynamic_batching"],
    ["a name of JavaScript's", JSON.parse('{"__proto__": 1}'), "__proto__"],
    ["another of JavaScript's", { constructor: {} }, "constructor"],
    ["text in a map", { parameters: { a: "b" } }, "parameters.a"],
    ["no mapping", 5, ""],
  ])("refuses %s", (_, message, path) => {
    expect(paths(message)).toEqual([path]);
    if (typeof message === "object") {
      expect(() => configText(message as Record<string, unknown>)).toThrow("must be");
    }
  });

  it("is text of the protobuf, whatever stands in its strings", () => {
    const message = {
      name: 'a"b\\c\nü',
      instance_group: [{ kind: "KIND_CPU", count: 1 }],
      parameters: { gpu_device_ids: { string_value: "0,1" } },
      dynamic_batching: { preferred_batch_size: [4, 8] },
    };
    expect(configText(message)).toBe(
      [
        'name: "a\\"b\\\\c\\012\\303\\274"',
        "instance_group {",
        "  kind: KIND_CPU",
        "  count: 1",
        "}",
        "parameters {",
        '  key: "gpu_device_ids"',
        "  value {",
        '    string_value: "0,1"',
        "  }",
        "}",
        "dynamic_batching {",
        "  preferred_batch_size: 4",
        "  preferred_batch_size: 8",
        "}",
        "",
      ].join("\n"),
    );
  });

  it("never leaves its string, nor its line", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (name) => {
        const [line = "", ...rest] = configText({ name }).split("\n");
        expect(rest).toEqual([""]);
        expect(line).toMatch(/^name: "([ -!#-[\]-~]|\\["\\]|\\\d{3})*"$/);
      }),
    );
  });
});

describe("the form for checkpoints", () => {
  it("is Triton's, with one instance, and without what model.yaml says", () => {
    const config = llmapiConfig("llama");
    expect(configProblems(config)).toEqual([]);
    expect(config).toMatchObject({
      name: "llama",
      backend: "python",
      instance_group: [{ kind: "KIND_CPU", count: 1 }],
    });
    for (const field of upstream.llmapi.configPbtxt.mustNotSet) {
      expect(config).not.toHaveProperty(field);
    }
    expect((config.input as { name: string }[]).map(({ name }) => name)).toEqual(
      upstream.llmapi.requestInputs.filter((name) => name !== "sampling_param_return_perf_metrics"),
    );
    expect((config.output as { name: string }[]).map(({ name }) => name)).toEqual(upstream.llmapi.outputs);
  });

  it.each([
    [{ max_batch_size: 64 }, "max_batch_size", "model.yaml says it"],
    [{ model_transaction_policy: { decoupled: true } }, "model_transaction_policy", "model.yaml says it"],
    [{ instance_group: [{ kind: "KIND_GPU", count: 4 }] }, "instance_group", "4 copies of the model"],
    [{ instance_group: [{ count: 1 }, {}] }, "instance_group", "2 copies of the model"],
    [{ instance_group: [{ count: 0 }] }, "instance_group", "0 copies of the model"],
    [{ backend: "tensorrtllm" }, "backend", "not to be set"],
    [{ metric_tags: { "my-team": "search" } }, "metric_tags.my-team", "a label of Prometheus"],
    [{ dynamic_batchin: {} }, "dynamic_batchin", "a field of ModelConfig"],
  ])("refuses %o", (further, path, allowed) => {
    expect(llmapiProblems(further)).toEqual([{ path, allowed: expect.stringContaining(allowed) }]);
  });

  it("takes fields that change nothing of that", () => {
    const further = { metric_tags: { team: "search" }, instance_group: [{ kind: "KIND_CPU", count: 1 }] };
    expect(llmapiProblems(further)).toEqual([]);
    expect(configText(llmapiConfig("llama", further))).toContain('key: "team"');
  });
});
