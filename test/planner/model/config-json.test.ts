import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ModelArchitecture } from "../../../planner/model/architecture";
import { ModelConfigError, parseModelConfigText, readModelConfig } from "../../../planner/model/config-json";
import { countParameters, weightBytes } from "../../../planner/model/parameters";
import { atNight } from "../../harness/property-runs";
import { fixtureConfig, modelFixtures } from "./fixtures";

const llama = fixtureConfig("meta-llama--Llama-3.1-8B");

type ConfigProblems = ModelConfigError["problems"];

/** What a config is read as, or what is wrong with it. */
function read(config: unknown): { readonly architecture?: ModelArchitecture; readonly problems: ConfigProblems } {
  try {
    return { architecture: readModelConfig(config), problems: [] };
  } catch (error) {
    if (error instanceof ModelConfigError) {
      return { problems: error.problems };
    }
    throw error;
  }
}

const problemsOf = (config: unknown): ConfigProblems => read(config).problems;

describe("readModelConfig refuses", () => {
  it.each([null, undefined, 7, "text", [], [llama], true])("%j, which is no object", (value) => {
    expect(problemsOf(value)).toMatchObject([
      { path: "(file)", message: expect.stringContaining("must be a JSON object") },
    ]);
  });

  it("every wrong key at once, by name", () => {
    const paths = problemsOf({
      ...llama,
      hidden_size: -1,
      num_hidden_layers: 1e308,
      vocab_size: "many",
      max_position_embeddings: 0.5,
    }).map((problem) => problem.path);
    expect(paths).toEqual(
      expect.arrayContaining(["hidden_size", "num_hidden_layers", "vocab_size", "max_position_embeddings"]),
    );
  });

  it("missing keys", () => {
    // Baichuan is no family of transformers: nothing says what its configuration leaves out
    const { hidden_size: _hidden, num_hidden_layers: _layers, ...rest } = llama;
    const messages = problemsOf({ ...rest, model_type: "baichuan" })
      .map((problem) => `${problem.path} ${problem.message}`)
      .join("\n");
    expect(messages).toMatch(/num_hidden_layers.* is missing/);
    expect(messages).toMatch(/hidden_size.* is missing/);
  });

  it("an unknown family, with what to do", () => {
    const [problem] = problemsOf({ ...llama, model_type: "brontosaurus" });
    expect(problem?.path).toBe("model_type");
    expect(problem?.message).toMatch(/^unknown model family; \d+ are known, the nearest is \w+$/);
    expect(problem?.fix).toContain("weight files");
  });

  it("numbers beyond any model instead of working on them", () => {
    expect(problemsOf({ ...llama, num_hidden_layers: 1e9 })[0]?.message).toContain("from 1 to");
    expect(problemsOf({ ...llama, num_hidden_layers: Number.NaN })).not.toEqual([]);
    expect(problemsOf({ ...llama, num_attention_heads: 2 ** 53 })).not.toEqual([]);
  });

  it("heads that do not fit together", () => {
    expect(problemsOf({ ...llama, num_key_value_heads: 5 })).toMatchObject([{ path: "num_key_value_heads" }]);
    expect(problemsOf({ ...llama, num_attention_heads: 24, num_key_value_heads: 8 })[0]?.message).toContain("multiple");
  });

  it("more routed experts than there are", () => {
    const mixtral = fixtureConfig("mistralai--Mixtral-8x7B-v0.1");
    expect(problemsOf({ ...mixtral, num_experts_per_tok: 9 })).toMatchObject([{ path: "num_experts_per_tok" }]);
  });

  it("unknown quantization, naming the known methods", () => {
    const [problem] = problemsOf({ ...llama, quantization_config: { quant_method: "magic" } });
    expect(problem).toMatchObject({
      path: "quantization_config.quant_method",
      message: expect.stringContaining("compressed-tensors"),
    });
  });

  it.each([
    ["no expression", ["re:("]],
    ["look-around, which takes more than linear time", ["re:(?!lm_head).*"]],
    ["counted repetitions", ["re:.{1,900}.{1,900}!"]],
    ["a long expression", [`re:${"a?".repeat(101)}`]],
    ["too many expressions", Array.from({ length: 101 }, (_, index) => `re:${index}`)],
    ["too many globs", Array.from({ length: 2001 }, (_, index) => `${index}*`)],
  ])("patterns of unquantized modules: %s", (_what, ignore) => {
    expect(problemsOf(ignoring(ignore))).toMatchObject([{ path: "quantization_config.ignore" }]);
  });

  it("inherited keys", () => {
    const inherited = Object.create(llama) as unknown;
    expect(problemsOf(inherited)[0]?.path).toBe("model_type");
  });
});

/** A config with the module names that a checkpoint leaves unquantized. */
function ignoring(ignore: readonly string[]) {
  const weights = { num_bits: 8, type: "int", strategy: "channel" };
  const config_groups = { group_0: { targets: ["Linear"], weights } };
  return { ...llama, quantization_config: { quant_method: "compressed-tensors", config_groups, ignore } };
}

describe("readModelConfig", () => {
  // With a backtracking matcher these take from seconds to years: the test would end by its time limit.
  it.each([
    ["alternatives", [`re:${"(.|.)".repeat(38)}!`]],
    ["nested repetitions", ["re:(a+)+$", "re:(.*)*!"]],
    ["repetitions one after another", Array.from({ length: 20 }, () => "re:.*.*.*.*!")],
    ["200,000 names", Array.from({ length: 200_000 }, (_, index) => `model.layers.${index}.nothing`)],
  ])("answers for hostile names of unquantized modules: %s", (_what, ignore) => {
    const quantized = weightBytes(readModelConfig(ignoring([])));
    expect(weightBytes(readModelConfig(ignoring(ignore)))).toEqual(quantized);
  });

  it.each(modelFixtures.map(({ name }) => name))("takes no name that every object has for an entry: %s", (name) => {
    for (const { path, config } of withInheritedNames(fixtureConfig(name))) {
      const { architecture } = read(config);
      if (architecture !== undefined) {
        expect(Object.values(weightBytes(architecture)).every(Number.isFinite), path).toBe(true);
      }
    }
  });

  it("is not changed by __proto__ keys", () => {
    const polluted: unknown = JSON.parse(`{"__proto__": {"hidden_size": 1}, ${JSON.stringify(llama).slice(1)}`);
    expect(countParameters(readModelConfig(polluted))).toEqual(countParameters(readModelConfig(llama)));
    expect(Object.hasOwn(Object.prototype, "hidden_size")).toBe(false);
  });

  it("takes the dtype under both of its names", () => {
    const { torch_dtype: _old, ...rest } = llama;
    expect(readModelConfig({ ...rest, dtype: "float32" }).checkpointDtype).toBe("float32");
    expect(readModelConfig(rest).checkpointDtype).toBe("bfloat16");
  });

  it("accepts null and absent lists of unquantized modules", () => {
    const awq = fixtureConfig("Qwen--Qwen3-4B-AWQ");
    const bytes = weightBytes(readModelConfig(awq)).checkpointBytes;
    const withList = { quant_method: "awq", bits: 4, group_size: 128, modules_to_not_convert: [] };
    expect(weightBytes(readModelConfig({ ...awq, quantization_config: withList })).checkpointBytes).toBe(bytes);
  });

  it("always answers or names the problem, whatever a key holds", () => {
    const keys = fc.constantFrom(
      ...Object.keys(llama),
      "quantization_config",
      "rope_parameters",
      "text_config",
      "layer_types",
    );
    fc.assert(
      fc.property(keys, fc.jsonValue(), (key, value) => {
        const problems = problemsOf({ ...llama, [key]: value });
        for (const problem of problems) {
          expect(problem.path.length).toBeGreaterThan(0);
        }
        if (problems.length > 0) {
          return;
        }
        const { total } = countParameters(readModelConfig({ ...llama, [key]: value }));
        expect(Number.isFinite(total) && total > 0).toBe(true);
      }),
      { numRuns: atNight(500) },
    );
  });

  it("answers or names the problem for every real config with one key removed", () => {
    for (const { name } of modelFixtures) {
      const config = fixtureConfig(name);
      for (const key of Object.keys(config)) {
        const { [key]: _removed, ...rest } = config;
        for (const problem of problemsOf(rest)) {
          expect(problem.message.length).toBeGreaterThan(0);
        }
      }
    }
  });
});

describe("parseModelConfigText", () => {
  it("reads the Infinity and NaN that some originals carry, but not inside strings", () => {
    const text = JSON.stringify({ ...llama, note: "to Infinity and NaN" }).replace(
      "{",
      '{"a": Infinity, "b": -Infinity, "c": NaN, ',
    );
    expect(parseModelConfigText(text).layers).toBe(32);
  });

  it.each(["", "{", '{"model_type": "llama"', "{'model_type': 'llama'}", "\u0000"])(
    "says where %j stops being JSON",
    (text) => {
      expect(() => parseModelConfigText(text, { name: "broken" })).toThrow(/broken cannot be read:[\s\S]*is no JSON/);
    },
  );

  it("refuses a file of absurd size before parsing it", () => {
    expect(() => parseModelConfigText(" ".repeat(8_000_001))).toThrow(/at most 8000000 characters/);
  });

  it("has a one-line value in every problem", () => {
    try {
      parseModelConfigText(JSON.stringify({ ...llama, hidden_size: "x".repeat(5000) }));
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(ModelConfigError);
      expect(String(error).length).toBeLessThan(1000);
    }
  });
});

/** The config once for each of its strings and inherited name, with the one in place of the other. */
function* withInheritedNames(config: object): Generator<{ path: string; config: object }> {
  for (const [key, value] of Object.entries(config)) {
    if (typeof value === "string") {
      for (const name of ["constructor", "toString", "__proto__"]) {
        yield { path: `${key}: ${name}`, config: { ...config, [key]: name } };
      }
    } else if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      for (const inner of withInheritedNames(value)) {
        yield { path: `${key}.${inner.path}`, config: { ...config, [key]: inner.config } };
      }
    }
  }
}
