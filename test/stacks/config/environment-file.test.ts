import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigError, formatProblems, parseEnvironmentFile } from "../../../stacks/config";
import { atNight } from "../../harness/property-runs";
import { environmentText, parseWith, problemsOf, problemsWith, rightEnvironment } from "./samples";

describe("a right file", () => {
  it("fills in the defaults of production", () => {
    const { stage: _, ...rest } = rightEnvironment;
    const parsed = parseEnvironmentFile(
      environmentText({ ...rest, gateway: { hostname: "a.example.com", tls: { kind: "secret", secretName: "tls" } } }),
    );
    expect(parsed).toMatchObject({
      ok: true,
      environment: {
        stage: "production",
        cluster: {
          gpuExporters: "platform",
          certManager: "platform",
          privateCidrs: [],
          apiServerCidrs: [],
        },
        pools: { gpu: { minNodes: 1, maxNodes: 4, hoursPerDay: 24 }, system: { minNodes: 1, maxNodes: 1 } },
        models: {
          chat: {
            engine: "vllm",
            contextTokens: 8192,
            concurrency: 16,
            replicas: { min: 1, max: 1 },
            vllm: { kvCacheDtype: "auto", loading: "copy", toolCalling: false, reasoning: false },
          },
        },
        storage: { bucket: "models", registryGbps: 1, storeGbps: 10 },
        gateway: { exposure: "LoadBalancer", consumers: ["default"] },
        observability: { profile: "full", retentionDays: 15, storageGiB: 50 },
      },
    });
  });

  it("hands values over as Pulumi does: sections as JSON text, other namespaces untouched", () => {
    const { config } = parseEnvironmentFile(
      `${environmentText(rightEnvironment)}  aws:region: us-east-1\n  x:list: [1, true]\n`,
    );
    expect(config["aws:region"]).toBe("us-east-1");
    expect(config["x:list"]).toBe("[1,true]");
    expect(config["inference-stacks:stage"]).toBe("development");
    expect(JSON.parse(config["inference-stacks:pools"] ?? "")).toEqual(rightEnvironment.pools);
  });

  it("accepts what Pulumi writes beside config, and merge keys", () => {
    const text = `encryptionsalt: v1:abc
secretsprovider: passphrase
encryptedkey: abc
environment: [team/prod]
${environmentText({ ...rightEnvironment, pools: undefined })}  inference-stacks:pools:
    a: &a { shape: VM.GPU.A10.1 }
    b: { <<: *a, maxNodes: 3 }
`;
    expect(parseEnvironmentFile(text)).toMatchObject({
      ok: true,
      environment: { pools: { b: { shape: "VM.GPU.A10.1", maxNodes: 3 } } },
    });
  });
});

describe("mistakes", () => {
  const fiveMistakes = `config:
  inference-stacks:stage: development
  inference-stacks:cluster: { kind: ocii }
  inference-stacks:pools:
    gpu: { shape: VM.GPU.A10.2, minNodes: "3" }
  inference-stacks:models:
    chat: { model: qwen2.5-7b-instuct, contextTokens: 0 }
    code:
      model: qwen3-8b
      pools: [gqu]
  inference-stacks:gateway: { hostname: inference.example.com, tls: { kind: self-signed } }
`;

  it("lists five different ones at once, each with path, line, value, allowed and fix", () => {
    const problems = problemsOf(parseEnvironmentFile(fiveMistakes));
    expect(problems.map(({ path, line, value, fix }) => ({ path, line, value, fix }))).toEqual([
      { path: "cluster.kind", line: 3, value: '"ocii"', fix: 'did you mean "oci"?' },
      { path: "pools.gpu.minNodes", line: 5, value: '"3"', fix: "write 3 without quotes" },
      {
        path: "models.chat.contextTokens",
        line: 7,
        value: "0",
        fix: "write for example 1, or remove it for the default, 8192",
      },
      { path: "models.chat.model", line: 7, value: '"qwen2.5-7b-instuct"', fix: 'did you mean "qwen2.5-7b-instruct"?' },
      { path: "models.code.pools[0]", line: 10, value: '"gqu"', fix: 'did you mean "gpu"?' },
    ]);
    expect(problems.map(({ allowed }) => allowed)).toEqual([
      "one of local, oci, aws, edge",
      "a whole number from 0 to 1000 (nodes)",
      "a whole number from 1 to 16777216 (tokens)",
      expect.stringMatching(/^a model of the catalogue: bge-m3, .* more \(npm run list -- models\); or hf:/),
      "a name under pools: gpu",
    ]);
  });

  it("shows them in a terminal without a stack trace", () => {
    const text = formatProblems(problemsOf(parseEnvironmentFile(fiveMistakes)), "Pulumi.dev.yaml");
    expect(text.split("\n").slice(0, 6)).toEqual([
      "Pulumi.dev.yaml: 5 problems",
      "",
      "  1. cluster.kind (line 3)",
      '     value    "ocii"',
      "     allowed  one of local, oci, aws, edge",
      '     fix      did you mean "oci"?',
    ]);
    expect(text).not.toMatch(/\n\s+at /);
  });

  it("refuses unknown keys at every level and says what was meant", () => {
    const problems = problemsWith({
      models: { chat: { modle: "qwen3-8b", replicas: { minimum: 1 } } },
      gatway: {},
      observability: { profil: "light" },
    });
    expect(problems.map(({ path, fix }) => [path, fix])).toEqual([
      ["models.chat.modle", 'did you mean "model"?'],
      ["models.chat.replicas.minimum", 'did you mean "min"?'],
      ["observability.profil", 'did you mean "profile"?'],
      ["gatway", 'did you mean "gateway"?'],
    ]);
  });

  it("names missing sections and what they look like", () => {
    const problems = problemsOf(parseEnvironmentFile("config:\n  inference-stacks:stage: development\n"));
    expect(problems.map(({ path, value }) => [path, value])).toEqual([
      ["cluster", "nothing"],
      ["pools", "nothing"],
      ["models", "nothing"],
      ["gateway", "nothing"],
    ]);
    expect(problems[0]?.fix).toBe("add it, for example cluster: {kind: local}");
  });

  it.each([
    ["confg:\n  a:b: 1\n", "confg", 'did you mean "config"?'],
    [
      `${environmentText(rightEnvironment)}inference-stacks:budget: {}\n`,
      "inference-stacks:budget",
      "indent it under config:",
    ],
    [
      environmentText(rightEnvironment).replace("inference-stacks:stage", "stage"),
      "config.stage",
      "write inference-stacks:stage",
    ],
  ])("refuses a key in the wrong place: %#", (text, path, fix) => {
    expect(problemsOf(parseEnvironmentFile(text))).toContainEqual(expect.objectContaining({ path, fix }));
  });

  it.each([
    ["config:\n  a: [1\n", "correct line"],
    ["config:\n\tb: 1\n\tc: 2\n", "indent with spaces instead of tabs, from line 2, column 1 on"],
    ["config:\n  a:b: 1\n  a:b: 2\n", "keep one of the two keys at line 3, column 3"],
    ["config: {}\n---\nconfig: {}\n", "correct line 2"],
    ["", "begin the file with config:"],
    ["- a\n", "begin the file with config:"],
  ])("says where the YAML is broken: %j", (text, fix) => {
    const [problem] = problemsOf(parseEnvironmentFile(text));
    expect(problem?.path).toBe("file");
    // The parser's own words, which hold nothing secret.
    expect(problem?.value).toMatch(/[a-z]+ [a-z]+/);
    expect(problem?.fix).toContain(fix);
  });

  it("says that an empty file is empty, and one tab once", () => {
    expect(problemsOf(parseEnvironmentFile(" \n")).map(({ value }) => value)).toEqual(['"an empty file"']);
    const tabs = `config:\n${"\ta:b: 1\n".repeat(4)}`;
    expect(problemsOf(parseEnvironmentFile(tabs))).toHaveLength(1);
  });

  it.each([
    ["inference-stack:budget", "write inference-stacks:budget"],
    ["Inference-Stacks:budget", "write inference-stacks:budget"],
    ["inference_stacks:modelz", "write inference-stacks:modelz"],
    ["inference:budget", "write inference-stacks:budget"],
  ])("refuses the key %s, which is ours but for a slip", (key, fix) => {
    const parsed = parseEnvironmentFile(`${environmentText(rightEnvironment)}  ${key}: { monthlyUsd: 5 }\n`);
    expect(problemsOf(parsed)).toMatchObject([{ path: `config.${key}`, line: expect.any(Number), fix }]);
  });

  it.each(["aws:region", "inference:region", "stack:budget", "kubernetes:context"])("leaves %s to others", (key) => {
    expect(parseEnvironmentFile(`${environmentText(rightEnvironment)}  ${key}: x\n`).ok).toBe(true);
  });

  it.each<[string, Record<string, unknown>, string, string]>([
    ["16k tokens", { models: { chat: { model: "qwen3-8b", contextTokens: "16k" } } }, "contextTokens", "write 16384"],
    ["a unit", { models: { chat: { model: "qwen3-8b", concurrency: "8 requests" } } }, "concurrency", "write 8"],
    ["another unit", { storage: { sizeGiB: "500 GB" } }, "sizeGiB", "write 500"],
    [
      "fp16, no slip of fp8",
      { models: { chat: { model: "qwen3-8b", vllm: { kvCacheDtype: "fp16" } } } },
      "kvCacheDtype",
      "remove it for the default, auto",
    ],
    [
      "half a version",
      { models: { chat: { model: "qwen3-8b", engineVersion: 0.9 } } },
      "engineVersion",
      'write for example "0.33.0"',
    ],
    [
      "a name that is a number",
      { models: { chat: { model: "qwen3-8b", servedName: 7 } } },
      "servedName",
      'put it in quotes: "7"',
    ],
    [
      "capitals",
      { gateway: { ...rightEnvironment.gateway, hostname: "Inference.Acme.io" } },
      "hostname",
      "write inference.acme.io",
    ],
    [
      "a URL",
      { gateway: { ...rightEnvironment.gateway, hostname: "https://inference.acme.io:443/v1" } },
      "hostname",
      "write inference.acme.io",
    ],
  ])("knows what was meant by %s", (_, change, key, fix) => {
    const problems = problemsWith(change);
    expect(problems.map(({ path, fix }) => [path.split(".").pop(), fix])).toEqual([[key, fix]]);
  });

  it("tells a value that breaks two rules once", () => {
    expect(problemsWith({ models: { chat: { model: "qwen3-8b", contextTokens: 1e300 } } })).toHaveLength(1);
  });

  it.each([
    ["an unknown anchor", "config:\n  a:b: [1, *nowhere]\n", "*nowhere", 2, 12, "an anchor (&name) above it"],
    [
      "an anchor further down",
      "config:\n  a:b: *late\n  a:c: &late 1\n",
      "*late",
      2,
      8,
      "Set the anchor above the alias",
    ],
    ["nothing, to merge", "x:\n  <<: *x\n", "*x", 2, 7, "an anchor (&name) above it"],
    ["what it stands in", "config: &c\n  a:b: {x: *c}\n", "*c", 2, 12, "Replace the alias"],
    ["what it merges into", "config:\n  a:b: &b {<<: *b}\n", "*b", 2, 16, "Replace the alias"],
  ])("names the line of an alias of %s", (_, text, value, line, column, said) => {
    const [problem, ...others] = problemsOf(parseEnvironmentFile(text));
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ path: "file", value: JSON.stringify(value), line });
    expect(problem?.fix).toMatch(new RegExp(`at line ${line}, column ${column}$`));
    expect(problem?.message).toContain(said);
  });

  it.each([
    ["false", "x:\n  a: [{<<: false}]\n", "<<: false", 2, 8],
    ["a list of numbers", "x:\n  a: 1\n<<: [1]\n", "<<: [1]", 3, 1],
    ["an alias of a list", "x: &x [1]\ny:\n  <<: *x\n", "<<: *x", 3, 3],
    ["nothing", "x:\n  <<:\n", "<<:", 2, 3],
    ["a mapping and a number", "x: &x 1\ny: {<<: [{a: 1}, *x]}\n", "<<: [{a: 1}, *x]", 2, 5],
  ])("names the line of a merge key with %s", (_, text, value, line, column) => {
    const [problem, ...others] = problemsOf(parseEnvironmentFile(text));
    expect(others).toEqual([]);
    expect(problem).toMatchObject({
      path: "file",
      value: JSON.stringify(value),
      allowed: "a merge key (<<) with a mapping, an alias of one, or a list of these",
      fix: `write a mapping, or put the key in quotes ("<<"), at line ${line}, column ${column}`,
      line,
    });
  });

  it("names the line of the first alias or merge key that leads nowhere, wherever it stands", () => {
    const key = fc.constantFrom("a", "b", "c", "d");
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom("1", "*nowhere", "{<<: 1}"),
        fc.array(tie("tree"), { minLength: 1, maxLength: 3 }),
        fc.dictionary(key, tie("tree"), { minKeys: 1 }),
      ),
    }));
    // One value to a line.
    const written = (value: unknown): string =>
      typeof value === "string"
        ? `${value}\n`
        : Array.isArray(value)
          ? `[\n${value.map(written).join(",\n")}]`
          : `{\n${Object.entries(value as object)
              .map(([name, item]) => `"${name}": ${written(item)}`)
              .join(",\n")}}`;
    fc.assert(
      fc.property(tree, (value) => {
        const text = `config: ${written(value)}`.replaceAll("\n", "\n  ");
        const broken = text.split("\n").findIndex((line) => /\*nowhere|<</.test(line)) + 1;
        const [problem] = problemsOf(parseEnvironmentFile(text));
        if (broken > 0) {
          expect(problem).toMatchObject({ path: "file", line: broken });
        }
      }),
    );
  });

  it("refuses a file of absurd size before reading it", () => {
    const [problem] = problemsOf(parseEnvironmentFile(`config: {}\n${"# ".repeat(500_000)}`));
    expect(problem).toMatchObject({ path: "file", fix: expect.stringContaining("at most 1000000 characters") });
  });

  it("names the line of each of many unknown keys", () => {
    const keys = Array.from({ length: 3000 }, (_, index) => `    unknown${index}: 1`);
    const text = ["config:", "  inference-stacks:gateway:", ...keys].join("\n");
    const lines = problemsOf(parseEnvironmentFile(text)).flatMap(({ path, line }) =>
      path.startsWith("gateway.unknown") ? [line] : [],
    );
    expect(lines).toEqual(keys.map((_, index) => index + 3));
  });

  it("does not expand an alias bomb", () => {
    const levels = Array.from(
      { length: 12 },
      (_, i) => `  a:b${i + 1}: &b${i + 1} [${Array(10).fill(`*b${i}`).join(", ")}]\n`,
    );
    const parsed = parseEnvironmentFile(`config:\n  a:b0: &b0 [x]\n${levels.join("")}`);
    expect(problemsOf(parsed)).toMatchObject([{ line: expect.any(Number), fix: expect.stringContaining("alias") }]);
  });

  it("does not drop names that JavaScript treats specially", () => {
    const text = `${environmentText({ ...rightEnvironment, pools: undefined })}  inference-stacks:pools: { __proto__: { shape: x } }\n`;
    expect(problemsOf(parseEnvironmentFile(text)).map(({ path }) => path)).toContain("pools.__proto__");
    expect(parseWith({ models: { constructor: { model: "qwen3-8b" } } }).ok).toBe(true);
  });
});

describe("any input", () => {
  it("is an environment or a list of problems, never an exception", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ maxLength: 200 }),
          fc.json().map((json) => `config: ${json}`),
        ),
        (text) => {
          const parsed = parseEnvironmentFile(text);
          expect(parsed.ok || parsed.problems.length > 0).toBe(true);
        },
      ),
      { numRuns: atNight(300) },
    );
  });

  it("is an environment or printable problems when one value of a right file is replaced by anything", () => {
    const paths = leafPaths(rightEnvironment);
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.jsonValue({ maxDepth: 2 }), (path, value) => {
        const parsed = parseEnvironmentFile(environmentText(replaced(rightEnvironment, path, value)));
        for (const problem of problemsOf(parsed)) {
          expect(problem.path).not.toBe("");
          expect(problem.allowed).not.toMatch(/undefined|NaN|\[object/);
          expect(problem.fix).not.toMatch(/undefined|NaN|\[object/);
          expect(() => new ConfigError([problem])).not.toThrow();
        }
        expect(parsed.ok || parsed.problems.length > 0).toBe(true);
      }),
      { numRuns: atNight(400) },
    );
  });
});

function leafPaths(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) {
    return [path];
  }
  const below = Object.entries(value).flatMap(([key, child]) => leafPaths(child, [...path, key]));
  return path.length > 0 ? [path, ...below] : below;
}

function replaced(root: object, [key = "", ...rest]: string[], value: unknown): Record<string, unknown> {
  const record = root as Record<string, unknown>;
  return { ...record, [key]: rest.length === 0 ? value : replaced(record[key] as object, rest, value) };
}
