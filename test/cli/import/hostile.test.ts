/** Files that are broken, or made to break what reads them. */
import { existsSync, linkSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { main } from "../../../cli/import";
import { documentsOf, ImportFileError } from "../../../cli/import/read-documents";
import { runPiped, useFolder } from "../run";
import { FIXTURES, fixtureFiles, importText } from "./imported";
import { command } from "./small-files";

const folder = useFolder();

async function imported(name: string, text: string, ...more: string[]) {
  const file = join(folder, name);
  writeFileSync(file, text);
  const out = join(folder, "Pulumi.hostile.yaml");
  return { ...(await runPiped(main, [file, "--out", out, ...more])), out };
}

const bomb = [
  "a: &a [x, x, x, x, x, x, x, x, x]",
  ..."bcdefghi"
    .split("")
    .map((key, index) => `${key}: &${key} [${new Array(9).fill(`*${"abcdefgh"[index]}`).join(", ")}]`),
].join("\n");

const HOSTILE: Readonly<Record<string, readonly [string, RegExp]>> = {
  "truncated JSON": ['{"recipe_mode": "service",\n "recipe_id": ', /truncated-JSON, line \d+: /],
  "truncated YAML": ["servingEngineSpec:\n  modelSpec: [{name: x", /line 2: /],
  "an empty file": ["", /empty/],
  "a list": ["- 1\n- 2\n", /line 1: .*mapping/],
  "a text": ["hello", /line 1: .*mapping/],
  "a file with NUL": ["a\0b", /no text/],
  "another project's file": ["apiVersion: v1\nkind: Pod\n", /line 1: Pod is no kind/],
  "a prototype key": ['{"recipe_mode": "service", "__proto__": {"a": 1}}', /line 1: the key __proto__/],
  "a constructor key": ["ollama: {models: {}}\nconstructor: 1\n", /line 2: the key constructor/],
  "aliases that multiply": [`${bomb}\nollama: {models: *i}\n`, /alias/i],
  "an anchor within itself": [
    "services: &a\n  x: {image: ollama/ollama, environment: *a}\n",
    /line 1: .*aliases repeat/,
  ],
  "aliases of a long list": [
    `x-e: &e [${"A=b, ".repeat(40_000)}A]\nservices: {${Array.from({ length: 90 }, (_, index) => `s${index}: {environment: *e}`).join(", ")}}`,
    /line 1: .*aliases repeat/,
  ],
  "a chart's template": ["spec:\n  name: {{ .Release.Name }}-llm\n", /line 2: .*helm template/],
  "a chart's template as a whole value": ["metadata:\n  name: {{ .Values.name }}\n", /line 2: .*helm template/],
  "a chart's template as a name": ["kind: Model\nmetadata:\n  name: '{{ .Values.name }}'\n", /line 1: .*helm template/],
  "a key that stands twice": ["ollama: {models: {}}\nollama: {}\n", /line 2: the key ollama appears twice/],
  "an alias as a key": ["a: &p __proto__\n? *p\n: {b: 1}\n", /line 2: a key is neither/],
  "a prototype key in a merge": ["<<: [{constructor: 1}]\nollama: {models: {}}\n", /line 1: the key constructor/],
  "a tag of another type": ["ollama: {models: {}}\nx: !!set {a, b}\n", /line 2: the tag .*set is not read/],
  "a tag of a program": ["ollama: {models: {}}\nx: !!js/function 'f'\n", /line 2: the tag .*js\/function is not read/],
  "a character that is not UTF-8": ["ollama:\n  models: {pull: [ph\ufffd]}\n", /line 2: .*UTF-8/],
  "a kustomization": ["kind: Kustomization\nresources: []\n", /line 1: .*kubectl kustomize/],
  "nesting without end": [`ollama: {models: ${"[".repeat(5000)}${"]".repeat(5000)}}`, /nested|read as YAML|line 1/],
  "10 MB": [`ollama: {models: {pull: [${"x, ".repeat(3_500_000)}x]}}`, /larger than/],
};

describe("a hostile file", () => {
  it.each(Object.entries(HOSTILE))(
    "%s: status 2 with line and reason, and nothing written",
    async (name, [text, reason]) => {
      const before = readdirSync(folder).length;
      const { status, err, out } = await imported(name.replaceAll(" ", "-").replaceAll("'", ""), text);
      expect(status).toBe(2);
      expect(err).toMatch(reason);
      expect(err).not.toMatch(/\bat .*\.ts:\d/);
      expect(existsSync(out)).toBe(false);
      expect(readdirSync(folder).length).toBe(before + 1);
    },
  );

  it.each([
    ["keys", `ollama: {models: {pull: [llama3.1]}}\n${lines(40_000, (index) => `k${index}: 1`)}`],
    ["values", `ollama: {models: {pull: [llama3.1]}}\nextraEnv:\n${lines(20_000, (index) => `- {name: A${index}}`)}`],
    ["flags", command(lines(10_000, (index) => `--f${index} 1`).replaceAll("\n", " "))],
    ["variables that have no end", command("$".concat("{$".repeat(50_000)))],
    ["words that may be secrets", command(`--x=${"-a".repeat(100_000)}`)],
  ])("of many %s is read in some seconds", { timeout: 40_000 }, async (_name, text) => {
    expect((await importText(text)).entries.length).toBeGreaterThan(0);
  });

  it.each(fixtureFiles())("%s, cut anywhere, is read or refused with the line", async (file) => {
    const text = readFileSync(join(FIXTURES, file), "utf8");
    for (const part of [0.2, 0.5, 0.8]) {
      try {
        await importText(text.slice(0, Math.floor(text.length * part)));
      } catch (error) {
        expect(error).toBeInstanceOf(ImportFileError);
        expect((error as Error).message).toMatch(/^file\.yaml, line \d+: ./);
      }
    }
  });

  it("may have lists and mappings where names are, also ones that cannot be converted", async () => {
    const odd = [{ toString: 0 }];
    const pod = {
      containers: [
        {
          name: odd,
          image: "vllm/vllm-openai:v0.33.0",
          args: ["--model", "Qwen/Qwen3-8B"],
          volumeMounts: [{ name: odd }],
        },
        { name: "a", image: [], env: [{ name: odd, value: odd }] },
      ],
      volumes: [{ name: odd }],
    };
    const spec = { template: pod, model: { uri: "s3://bucket/Qwen3-8B" } };
    const service = { apiVersion: "serving.kserve.io/v1alpha2", kind: "LLMInferenceService", spec };
    await expect(importText(JSON.stringify(service))).resolves.toBeDefined();
  });

  it("never fails in another way, whatever stands in the fields", { timeout: 120_000 }, async () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const fields = [
      "recipe_image_uri",
      "recipe_container_command_args",
      "recipe_container_env",
      "input_object_storage",
      "recipe_node_shape",
      "recipe_replica_count",
      "recipe_pod_autoscaling_params",
    ];
    const recipe = fc.record(Object.fromEntries(fields.map((field) => [field, value])), { requiredKeys: [] });
    const spec = fc.record(
      {
        name: value,
        modelURL: value,
        tag: value,
        requestGPU: value,
        vllmConfig: value,
        env: value,
        keda: value,
        tolerations: value,
      },
      { requiredKeys: [] },
    );
    const named = fc.record({ name: fc.constantFrom("a", "b"), mountPath: value, image: value, emptyDir: value });
    const container = fc.record({
      name: value,
      image: fc.constantFrom("vllm/vllm-openai:v0.33.0", "registry.example.com/vllm:v0.33.0"),
      args: fc.constant(["--model", "Qwen/Qwen3-8B"]),
      volumeMounts: fc.oneof(fc.array(named), value),
      resources: value,
      env: value,
    });
    const pod = fc.record(
      {
        containers: fc.tuple(container, fc.oneof(named, value)),
        volumes: fc.oneof(fc.array(named), value),
        initContainers: fc.oneof(fc.array(named), value),
        labels: value,
      },
      { requiredKeys: ["containers"] },
    );
    const file = fc.oneof(
      recipe.map((fieldsOf) => ({ recipe_mode: "service", recipe_image_uri: "vllm/vllm-openai:v0.9.1", ...fieldsOf })),
      spec.map((modelSpec) => ({ servingEngineSpec: { modelSpec: [{ modelURL: "Qwen/Qwen3-8B", ...modelSpec }] } })),
      fc.record({ image: value, command: value, environment: value, deploy: value }).map((service) => ({
        services: { a: service, b: { image: "ollama/ollama", command: "ollama run qwen3:8b" } },
      })),
      value.map((spec_) => ({ apiVersion: "serving.kserve.io/v1beta1", kind: "InferenceService", spec: spec_ })),
      value.map((inference) => ({ apiVersion: "kaito.sh/v1beta1", kind: "Workspace", inference, resource: inference })),
      value.map((template) => ({ apiVersion: "kaito.sh/v1beta1", kind: "InferenceSet", spec: { template } })),
      pod.map((predictor) => ({
        apiVersion: "serving.kserve.io/v1beta1",
        kind: "InferenceService",
        spec: { predictor },
      })),
      pod.map((template) => ({
        apiVersion: "serving.kserve.io/v1alpha2",
        kind: "LLMInferenceService",
        spec: { template, baseRefs: template.volumes, labels: template.labels, model: { uri: "s3://bucket/Qwen3-8B" } },
      })),
    );
    await fc.assert(
      fc.asyncProperty(file, async (content) => {
        try {
          await importText(JSON.stringify(content));
        } catch (error) {
          expect(error).toBeInstanceOf(ImportFileError);
        }
      }),
      { numRuns: 20 },
    );
  });
});

function lines(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join("\n");
}

describe("an output", () => {
  const recipe =
    '{"recipe_mode": "service", "recipe_image_uri": "vllm/vllm-openai:v0.9.1", "recipe_node_shape": "VM.GPU.A10.1", "recipe_container_command_args": ["--model", "Qwen/Qwen3-8B", "--max-model-len", "4096"]}';

  it("is not replaced without --force", async () => {
    expect((await imported("good.json", recipe)).status).toBe(0);
    const again = await imported("good.json", recipe);
    expect([again.status, again.err]).toEqual([2, expect.stringContaining("exists")]);
    expect((await imported("good.json", recipe, "--force")).status).toBe(0);
  });

  it("is no other output, and no file that is read", async () => {
    const file = write("Pulumi.same.yaml", recipe);
    const out = join(folder, "Pulumi.other.yaml");
    for (const [input, output, report] of [
      [file, file, join(folder, "r.json")],
      [file, out, out],
      [file, out, file],
      [file, out, join(folder, ".", "Pulumi.same.yaml")],
    ] as const) {
      const { status, err } = await runPiped(main, [input, "--out", output, "--report", report, "--force"]);
      expect([status, err]).toEqual([2, expect.stringContaining("a file of its own")]);
    }
    expect([readFileSync(file, "utf8"), existsSync(out)]).toEqual([recipe, false]);
  });

  it("is not written through a link that leads nowhere", async () => {
    const out = join(folder, "Pulumi.link.yaml");
    symlinkSync(join(folder, "elsewhere"), out);
    const { status, err } = await runPiped(main, [write("linked.json", recipe), "--out", out]);
    expect([status, err]).toEqual([2, expect.stringContaining("exists")]);
    expect(existsSync(join(folder, "elsewhere"))).toBe(false);
  });

  it("is not written through a link, with --force either", async () => {
    const [target, out, report] = ["target", "Pulumi.through.yaml", "r.link"].map((name) => join(folder, name));
    writeFileSync(target ?? "", "keep");
    symlinkSync(target ?? "", out ?? "");
    symlinkSync(join(folder, "absent"), report ?? "");
    const { status, err } = await runPiped(main, [
      write("through.json", recipe),
      ...["--out", out ?? "", "--report", report ?? "", "--force"],
    ]);
    expect([status, err.match(/name a plain file/g)?.length]).toEqual([2, 2]);
    expect([readFileSync(target ?? "", "utf8"), existsSync(join(folder, "absent"))]).toEqual(["keep", false]);
  });

  it("is no second name of a file that is read", async () => {
    const input = write("hard.json", recipe);
    const out = join(folder, "Pulumi.hard.yaml");
    linkSync(input, out);
    const { status, err } = await runPiped(main, [input, "--out", out, "--force"]);
    expect([status, err]).toEqual([2, expect.stringContaining("a file of its own")]);
    expect(readFileSync(input, "utf8")).toBe(recipe);
  });

  it("with a name that is too long is refused as others", async () => {
    const out = join(folder, "Pulumi.half.yaml");
    const report = join(folder, `${"r".repeat(251)}.json`);
    const { status, err } = await runPiped(main, [write("half.json", recipe), "--out", out, "--report", report]);
    expect([status, existsSync(out)]).toEqual([2, false]);
    expect(err).not.toContain(" at ");
  });

  it("of a file that is named twice is none", async () => {
    const file = write("twice.json", recipe);
    const { status, err } = await runPiped(main, [file, file, "--out", join(folder, "Pulumi.twice.yaml")]);
    expect([status, err]).toEqual([2, expect.stringContaining("is named twice")]);
  });

  it.each([
    ["--create", "--cluster", "aws"],
    ["--card", "l4", "--cluster", "oci"],
    ["--shape", "BM.GPU.H100.8", "--cluster", "local"],
    ["--shape", "VM.Standard.E4.Flex", "--cluster", "oci"],
    ["--host", "a b"],
    ["--engine-version", "latest"],
  ])("with %s %s of no use is none", async (...more) => {
    const file = write("useless.yaml", command("--gpu-memory-utilization 0.9"));
    const out = join(folder, "Pulumi.useless.yaml");
    const { status, err } = await runPiped(main, [file, "--out", out, ...more]);
    expect([status, existsSync(out)]).toEqual([2, false]);
    expect(err).toContain(more[0]);
  });

  it("of standard input is none", async () => {
    const { status, err } = await runPiped(main, ["-", "--out", join(folder, "Pulumi.stdin.yaml")]);
    expect([status, err]).toEqual([2, expect.stringContaining("standard input is not read")]);
  });

  it("must be called as environments are", async () => {
    const { status, err } = await runPiped(main, [join(folder, "good.json"), "--out", join(folder, "x.yaml")]);
    expect([status, err]).toEqual([2, expect.stringContaining("Pulumi.<name>.yaml")]);
  });

  it("of a file without a server is none, with status 1 and the reason", async () => {
    const { status, out } = await runPiped(main, [
      write("job.json", '{"recipe_mode": "job"}'),
      "--out",
      join(folder, "Pulumi.job.yaml"),
    ]);
    expect([status, existsSync(join(folder, "Pulumi.job.yaml"))]).toEqual([1, false]);
    expect(out).toContain("a job ends");
  });

  it("lists every mistake of the command line at once", async () => {
    const { status, err } = await runPiped(main, ["--cluster", "mars", "--card", "h9000", "--gpus-per-node", "0"]);
    expect(status).toBe(2);
    for (const option of ["name the files", "--out", "--cluster", "--card", "--gpus-per-node"]) {
      expect(err).toContain(option);
    }
  });
});

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

describe("a long list", () => {
  it("is read like others", () => {
    const [document] = documentsOf("f", `a: [${"1,".repeat(200_000)}1]`);
    expect(document?.root.a).toHaveLength(200_001);
  });
});

describe("lines", () => {
  it("are those of the value, in each document of a file", () => {
    const [first, second] = documentsOf("f", "a: 1\n---\nb:\n  - c: 2\n    d: 3\n");
    expect([first?.lineOf(["a"]), second?.lineOf(["b", 0, "d"]), second?.lineOf(["b", 0, "x"])]).toEqual([1, 5, 4]);
  });
});
