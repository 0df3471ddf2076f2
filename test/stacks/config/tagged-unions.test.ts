/** Mappings of several kinds: what is wrong in them is told as in any other mapping, whatever their tag says. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { taggedUnion } from "../../../stacks/config/core/sections/tagged-union";
import type { FieldSchema } from "../../../stacks/config/field-text";
import { shapeOf, unionOf } from "../../../stacks/config/union-fields";
import { plainIssues } from "../../../stacks/config/union-issues";
import { parseWith, problemsWith, told } from "./samples";

describe("the cluster", () => {
  const cluster = (section: unknown) => told({ cluster: section }, "cluster");

  it.each([
    ["local", undefined],
    ["aws", undefined],
    ["oci", undefined],
    ["edge", "local-path"],
  ] as const)("of kind %s has the storage class %s where none is written", (kind, storageClass) => {
    const machine = kind === "edge" ? { node: { vcpus: 8, memoryGiB: 32 } } : { shape: "m7i.2xlarge" };
    const shape = kind === "oci" ? { shape: "VM.Standard.A1.Flex", ocpus: 4, memoryGiB: 24 } : machine;
    const parsed = parseWith({ cluster: { kind }, pools: { system: shape }, models: {} });
    expect(parsed.ok && parsed.environment.cluster).toMatchObject({ kind, certManager: "platform" });
    expect(parsed.ok && parsed.environment.cluster.storageClass).toBe(storageClass);
  });

  it("has no key of another kind, and says whose it is", () => {
    expect(cluster({ kind: "aws", gpuDevices: { groups: [992] } })).toEqual([
      'cluster.gpuDevices is "gpuDevices"; allowed: only with kind local, oci, edge. Remove gpuDevices, or change kind.',
    ]);
    expect(
      told({ gateway: { hostname: "a.example.com", tls: { kind: "self-signed", email: "a@b.example" } } }, "gateway"),
    ).toEqual(['gateway.tls.email is "email"; allowed: only with kind acme. Remove email, or write kind: acme.']);
  });

  it("is checked as what was meant, where the kind has a slip in it", () => {
    const problems = problemsWith({
      cluster: { kind: "AWS", gpuDevices: {}, certManager: "none", storgeClass: "gp3" },
    });
    expect(problems.map(({ path, fix }) => `${path}: ${fix}`)).toEqual([
      'cluster.kind: did you mean "aws"?',
      "cluster.gpuDevices: remove gpuDevices, or change kind",
      "cluster.certManager: write for example present, or remove it for the default, platform",
      'cluster.storgeClass: did you mean "storageClass"?',
      // The rules between sections know the kind too.
      "pools.system.shape: take a shape such as g4dn.xlarge, or change cluster.kind",
      "pools.gpu.shape: take a shape such as g4dn.xlarge, or change cluster.kind",
    ]);
  });

  it.each([undefined, null, "nomad", 3, ["aws"], { aws: true }, "__proto__", "x".repeat(200)])(
    "of a kind that is no slip, %j, has the problems that it has with every kind",
    (kind) => {
      const problems = problemsWith({
        cluster: { kind, gpuDevices: { groups: ["video"] }, certManager: "none", kubeContext: 5, network: {} },
      });
      expect(problems.map(({ path }) => path).sort()).toEqual([
        "cluster.certManager",
        "cluster.gpuDevices.groups[0]",
        "cluster.kind",
        "cluster.kubeContext",
        "cluster.network",
      ]);
      expect(problems.find(({ path }) => path === "cluster.kind")?.allowed).toBe("one of local, oci, aws, edge");
    },
  );

  it("that is no mapping is told the keys of one", () => {
    expect(cluster("local")[0]).toMatch(
      /^cluster is "local"; allowed: a mapping with the keys kind, provision, local, storageClass, /,
    );
    expect(cluster(["local"])).toHaveLength(1);
  });
});

describe("a key that stands a level off", () => {
  const chat = { model: "qwen2.5-7b-instruct" };
  it.each([
    ["too high", { models: { chat: { ...chat, min: 2 } } }, "models.chat", "Write replicas: {min: 2} in its place."],
    [
      "too high, in a list",
      { cluster: { kind: "oci", groups: [992] } },
      "cluster",
      "Write gpuDevices: {groups: [992]} in its place.",
    ],
    [
      "too high, for a union",
      { gateway: { hostname: "a.example.com", email: "me@example.com", tls: { kind: "acme" } } },
      "gateway.email",
      "Add to tls: {email: me@example.com}, and remove email here.",
    ],
    [
      "too low",
      { models: { chat: { ...chat, replicas: { concurrency: 2 } } } },
      "models.chat.replicas",
      "Write it next to replicas, not in it.",
    ],
    [
      "too high, of another kind",
      { cluster: { kind: "aws", groups: [992] } },
      "cluster",
      "allowed: only with kind local, oci, edge, as gpuDevices: {groups: [992]}. Remove groups, or change kind.",
    ],
  ])("%s", (_, changes, path, text) => {
    const [message, ...others] = told(changes, path);
    expect(message).toContain(text);
    expect(others).toEqual([]);
  });

  it("is shown without its value where that gives itself away as a secret", () => {
    const text = JSON.stringify(problemsWith({ gateway: { hostname: "a.example.com", email: "hf_abcdefghijkl" } }));
    expect(text).toContain("tls: {email: …}");
    expect(text).not.toContain("hf_abc");
  });
});

/** As models are to be told apart by their engine: one member is meant by default, each has a block of its own. */
const engines = taggedUnion("engine", [
  z.strictObject({
    engine: z.literal("vllm").default("vllm"),
    concurrency: z.int().min(1).max(64).default(16),
    vllm: z.strictObject({ kvCacheDtype: z.enum(["auto", "fp8"]).default("auto") }).prefault({}),
  }),
  z.strictObject({
    engine: z.literal("ollama"),
    concurrency: z.int().min(1).max(64).default(16),
    ollama: z.strictObject({ flashAttention: z.boolean() }).optional(),
  }),
]);
const schema = z.strictObject({ models: z.record(z.string(), engines) });
const root = z.toJSONSchema(schema, { io: "input", target: "draft-7" }) as FieldSchema;

/** `path: code` of everything that is wrong with one model. */
function issuesOf(model: unknown): string[] {
  const values = { models: { m: model } };
  return plainIssues(schema.safeParse(values).error?.issues ?? [], values, root).flatMap((issue) => {
    const keys = issue.code === "unrecognized_keys" ? issue.keys : [undefined];
    return keys.map((key) => `${[...issue.path.slice(2), ...(key ? [key] : [])].join(".")}: ${issue.code}`);
  });
}

describe("a union whose tag may be left out", () => {
  it("fills in the default member, with its defaults", () => {
    expect(schema.parse({ models: { m: {} } }).models.m).toEqual({
      engine: "vllm",
      concurrency: 16,
      vllm: { kvCacheDtype: "auto" },
    });
    expect(schema.parse({ models: { m: { engine: "ollama" } } }).models.m).toEqual({
      engine: "ollama",
      concurrency: 16,
    });
  });

  it("is checked as the default member, and says nothing of the tag", () => {
    expect(issuesOf({ concurrency: 0, vllm: { kvCacheDtype: "int3" }, ollama: {} })).toEqual([
      "concurrency: too_small",
      "vllm.kvCacheDtype: invalid_value",
      "ollama: unrecognized_keys",
    ]);
  });

  it("shows the keys of the member that a value means, and every tag's value at the tag", () => {
    const field = root.properties?.models?.additionalProperties as FieldSchema;
    const keys = (value: unknown) => Object.keys(shapeOf(field, value).properties ?? {});
    expect(keys({})).toEqual(["engine", "concurrency", "vllm"]);
    expect(keys({ engine: "olama" })).toEqual(["engine", "concurrency", "ollama"]);
    expect(keys({ engine: "triton" })).toEqual(["engine", "concurrency", "vllm", "ollama"]);
    expect(shapeOf(field, {}).properties?.engine).toMatchObject({ enum: ["vllm", "ollama"], default: "vllm" });
    expect(unionOf(field)?.byDefault).toBe("vllm");
  });
});

describe("what a wrong tag hides", () => {
  const model = fc.record(
    {
      concurrency: fc.constantFrom<unknown>(1, 0, 65, "x", null, []),
      vllm: fc.constantFrom<unknown>({}, 1, { kvCacheDtype: "fp8" }, { kvCacheDtype: 8 }, { a: 1 }),
      ollama: fc.constantFrom<unknown>({ flashAttention: true }, {}, [], { b: 1 }),
      other: fc.anything(),
    },
    { requiredKeys: [] },
  );

  it("is nothing, where it is a slip", () => {
    fc.assert(
      fc.property(model, (rest) => {
        const right = issuesOf({ ...rest, engine: "ollama" });
        expect(issuesOf({ ...rest, engine: "olama" }).sort()).toEqual(["engine: unknown_tag", ...right].sort());
      }),
    );
  });

  it("is no key that is wrong in every member, and no right key is told wrong", () => {
    const keysOf = (issues: string[]) => new Set(issues.map((issue) => issue.split(/[.:]/)[0] ?? ""));
    fc.assert(
      fc.property(model, (rest) => {
        const vllm = keysOf(issuesOf({ ...rest, engine: "vllm" }));
        const ollama = keysOf(issuesOf({ ...rest, engine: "ollama" }));
        const inBoth = [...vllm].filter((key) => ollama.has(key));
        expect(keysOf(issuesOf({ ...rest, engine: "triton" }))).toEqual(new Set(["engine", ...inBoth]));
      }),
    );
  });
});
