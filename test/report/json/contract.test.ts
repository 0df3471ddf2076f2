/**
 * `plan --json` is a contract: report/json says every key, and this test that no key is missing and none is untold.
 * Whoever adds a key to the plan adds it there, and to a document below where no environment has it.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv";
import { beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import type { z } from "zod";
import { findModel } from "../../../catalog/models";
import { repositoryRoot } from "../../../names/repository-root";
import { planPage, planSchemaText } from "../../../report/json/generated";
import { keyRows } from "../../../report/json/rows";
import { planSchema, SCHEMA_VERSION } from "../../../report/json/schema";
import type { PlanJson } from "../../../report/result";
import { laptop, onA10, planOf, useFolder } from "../../cli/run";
import { environments, programRun } from "../../stacks/run";
import { planDocument, printed } from "../planned";

const folder = useFolder();

const buckets = { "corp-models": { url: "https://s3.eu-central-1.amazonaws.com" } };
const tooLarge = { model: "llama-3.3-70b-instruct", concurrency: 16 };

/** What is rare: settings that no environment of the repository has, and plans that are refused. */
const rarities = {
  settings: onA10(
    {},
    {
      budget: { monthlyUsd: 100_000 },
      gateway: {
        hostname: "llm.example.com",
        tls: { kind: "self-signed" },
        consumers: {
          web: { models: ["contracts"], requestsPerMinute: 60, tokensPerMinute: 100_000, priority: "free" },
        },
      },
      observability: { alerts: { slack: { proxyUrl: "http://proxy.example.com:3128", networks: ["10.30.0.5/32"] } } },
      partnerApiKey: { secure: "v1:AAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" },
      models: {
        chat: {
          model: "qwen2.5-7b-instruct",
          concurrency: 2,
          serviceLevel: { availability: 0.999, ttftMs: 9000, tpotMs: 500, tokensPerSecond: 2, percentile: 95 },
          traffic: { requestsPerSecond: 0.1, peakFactor: 1 },
          domain: "legal",
          quantization: "fp8",
          vllm: { kvCacheDtype: "fp8", maxNumSeqs: 64, chatTemplate: "chat.jinja", sleepMode: true },
          source: "s3://models/chat",
          args: { "enable-prompt-tokens-details": true, "max-num-batched-tokens": 4096 },
          env: { VLLM_LOG_STATS_INTERVAL: 30 },
          adapters: {
            contracts: { source: "hf://example/contracts-lora@main", rank: 8 },
            rulings: "s3://models/rulings-lora",
          },
        },
        half: {
          model: "qwen2.5-7b-instruct",
          concurrency: 2,
          quantization: "float16",
          serviceLevel: { tpotMs: 40 },
          args: { "kv-offloading-size": 8 },
        },
        legacy: { config: "legacy/config.json", source: "hf://example/legacy", concurrency: 2 },
        others: {
          engine: "external",
          external: {
            url: "https://llm.example.com/v1",
            model: "gpt-small",
            secretKey: "partnerApiKey",
            networks: ["203.0.113.0/24"],
            caFile: "ca.pem",
          },
        },
      },
    },
  ),
  nodes: onA10(
    {},
    {
      registrarApiKey: { secure: "v1:AAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" },
      nodes: {
        "inference-cluster": {
          model: "chat",
          registrar: {
            url: "https://registrar.example.com",
            secretKey: "registrarApiKey",
            networks: ["203.0.113.0/24"],
            caFile: "ca.pem",
          },
        },
      },
    },
  ),
  mesh: onA10({ source: "pvc://weights/qwen" }, { mesh: { mode: "sidecar" } }),
  packed: onA10({ source: `oci://registry.example.com/qwen:v1@sha256:${"0".repeat(64)}` }),
  own: onA10(
    {
      engineVersion: "0.33.0",
      image: { reference: "registry.example.com/ml/vllm:0.33.0-team", platforms: ["linux/amd64"], cuda: 13 },
      aliases: ["gpt-4o"],
      pod: {
        volumes: [{ name: "cache", mountPath: "/kv-cache", claim: "cache" }],
        initContainers: [{ name: "prepare", image: "registry.example.com/ops/prepare:1.0.3" }],
        sidecars: [{ name: "ship", image: "registry.example.com/ops/ship:1.4.2", cpu: 0.25, memoryGiB: 0.25 }],
      },
    },
    {
      callerApiKey: { secure: "v1:AAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" },
      gateway: {
        hostname: "llm.example.com",
        tls: { kind: "self-signed" },
        consumers: { web: { secretKey: "callerApiKey" } },
      },
    },
  ),
  // ROCm of an own image, on a card of AMD.
  amd: {
    ...laptop,
    cluster: { kind: "edge" },
    pools: { gpu: { node: { card: "mi300x", gpuCount: 1, vcpus: 32, memoryGiB: 256 } } },
    models: {
      chat: {
        model: "qwen2.5-7b-instruct",
        engine: "vllm",
        engineVersion: "0.33.0",
        concurrency: 2,
        image: { reference: "registry.example.com/ml/vllm:0.33.0-rocm", rocm: "7.2" },
      },
    },
  },
  local: { ...laptop, cluster: { kind: "local", provision: "create", local: { tool: "k3d" } } },
  canary: onA10({
    source: `hf://Qwen/Qwen2.5-7B-Instruct@${"1".repeat(40)}`,
    canary: { source: `hf://Qwen/Qwen2.5-7B-Instruct@${"2".repeat(40)}`, weight: 20 },
  }),
  lonely: onA10(
    {},
    { models: { chat: { ...tooLarge, source: "s3://models/a", canary: { source: "s3://models/b", weight: 20 } } } },
  ),
  images: onA10(
    {},
    {
      gateway: { hostname: "llm.example.com", tls: { kind: "self-signed" }, consumers: ["web", "batch"] },
      models: {
        seeing: {
          model: "qwen2.5-vl-7b-instruct",
          contextTokens: 4096,
          concurrency: 1,
          args: { "enable-prefix-caching": false },
        },
      },
    },
  ),
  rdma: onA10(
    {},
    {
      pools: {
        system: { shape: "VM.Standard.A1.Flex", ocpus: 4, memoryGiB: 24 },
        h100: {
          shape: "BM.GPU.H100.8",
          minNodes: 2,
          rdma: { access: "virtual-functions", topologyLabel: "example.com/block" },
        },
      },
      models: { large: { model: "llama-3.1-405b-instruct", contextTokens: 16_384, concurrency: 16 } },
    },
  ),
  parts: onA10(
    {},
    {
      pools: {
        system: { shape: "VM.Standard.A1.Flex", ocpus: 4, memoryGiB: 24 },
        slices: { shape: "BM.GPU.H100.8", sharing: { mig: "all-1g.10gb" } },
        turns: { shape: "VM.GPU.A10.1", minNodes: 0, sharing: { timeSlicing: { replicas: 2 } } },
      },
      models: { chat: { model: "llama-3.2-1b-instruct", contextTokens: 4096, concurrency: 2, pools: ["slices"] } },
    },
  ),
  zones: onA10(
    { replicas: { min: 2, max: 2 }, serviceLevel: { availability: 0.9998 }, source: "s3://corp-models/qwen" },
    { storage: { buckets } },
  ),
  zonesOfAws: onA10(
    {},
    {
      cluster: {
        kind: "aws",
        provision: "create",
        eks: {
          region: "us-east-1",
          accountId: "111122223333",
          kubernetesVersion: "1.35",
          zones: ["us-east-1a", "us-east-1b"],
          administrators: ["arn:aws:iam::111122223333:role/platform"],
        },
      },
      pools: {
        system: { shape: "m7i.2xlarge", minNodes: 3, maxNodes: 6 },
        l40s: { shape: "g6e.4xlarge", minNodes: 2, maxNodes: 4 },
      },
      models: {
        chat: {
          model: "llama-3.2-3b-instruct",
          contextTokens: 4096,
          concurrency: 2,
          replicas: { min: 2, max: 2 },
          serviceLevel: { availability: 0.999 },
        },
        headed: {
          model: "llama-3.2-3b-instruct",
          engine: "ray",
          contextTokens: 4096,
          concurrency: 2,
          serviceLevel: { availability: 0.9 },
        },
      },
    },
  ),
  asleep: onA10({
    replicas: { min: 0, max: 2 },
    scaling: { schedule: [{ from: "0 8 * * 1-5", to: "0 18 * * 1-5", timezone: "Europe/Berlin", replicas: 1 }] },
  }),
  shared: {
    ...laptop,
    models: {
      ...laptop.models,
      finder: { model: "bge-m3", engine: "ollama", contextTokens: 1024, ollama: { serverOf: "chat" } },
    },
  },
  sibling: {
    ...laptop,
    pools: {
      radeon: {
        node: { card: "rx-6700-xt", gpuCount: 1, vcpus: 16, memoryGiB: 64, localNvmeGB: 1000, networkGbps: 1 },
      },
    },
  },
  imageVolume: onA10(
    { source: `oci://registry.example.com/qwen:v1@sha256:${"0".repeat(64)}` },
    { storage: { imageVolumes: true } },
  ),
  folder: {
    ...laptop,
    cluster: { kind: "edge" },
    pools: { gpu: { node: { card: "a100-80gb", gpuCount: 1, vcpus: 32, memoryGiB: 256 } } },
    models: { chat: { model: "qwen2.5-7b-instruct", source: "file:///srv/models/qwen", concurrency: 2 } },
  },
  cached: onA10(
    {},
    { models: { chat: { model: "qwen2.5-7b-instruct", concurrency: 4 } }, storage: { nodeCacheGiB: 100 } },
  ),
  "store-elsewhere": {
    ...onA10(
      {},
      {
        storage: {
          backend: { bucket: "weights", reader: { accessKey: "readerIdApiKey", secretKey: "readerApiKey" } },
          buckets: { weights: { url: "https://s3.eu-central-1.amazonaws.com", region: "eu-central-1" } },
        },
        models: { chat: { model: "qwen2.5-7b-instruct", source: "s3://weights/qwen" } },
      },
    ),
    readerIdApiKey: { secure: "v1:never-read" },
    readerApiKey: { secure: "v1:never-read" },
  },
  refused: onA10(
    {},
    {
      models: {
        hub: tooLarge,
        bucket: { ...tooLarge, source: "s3://models/bucket" },
        elsewhere: { ...tooLarge, source: "s3://corp-models/elsewhere" },
        mounted: { ...tooLarge, source: "pvc://weights/llama" },
        packed: { ...tooLarge, source: `oci://registry.example.com/llama:v1@sha256:${"0".repeat(64)}` },
        ollama: { ...tooLarge, engine: "ollama", concurrency: 512 },
      },
      storage: { buckets, imageVolumes: true },
    },
  ),
} as const;

const documents = new Map<string, unknown>();

beforeAll(async () => {
  writeFileSync(join(folder, "chat.jinja"), "{{ messages }}");
  copyFileSync(join(repositoryRoot(), "test/fixtures/certificates/example-ca.pem"), join(folder, "ca.pem"));
  const { configPath = "" } = findModel("qwen2.5-7b-instruct") ?? {};
  const deprecated = { quantization_config: { quant_method: "fbgemm_fp8" } };
  mkdirSync(join(folder, "legacy"));
  writeFileSync(
    join(folder, "legacy", "config.json"),
    JSON.stringify({ ...JSON.parse(readFileSync(configPath, "utf8")), ...deprecated }),
  );
  for (const name of environments) {
    documents.set(name, printed(await programRun(name)));
  }
  for (const [name, environment] of Object.entries(rarities)) {
    documents.set(name, await planDocument(environment, folder));
  }
}, 120_000);

it.each([...environments, ...Object.keys(rarities)])("the plan of %s has every key, and no other", (name) => {
  expect(planSchema.safeParse(documents.get(name)).error?.issues ?? []).toEqual([]);
});

it("tells no key that no plan has", () => {
  const seen = new Set([...documents.values()].flatMap((document) => pathsIn(document)));
  expect(keyRows().flatMap(({ path }) => (seen.has(path) ? [] : [path]))).toEqual([]);
});

it("tells what each key is, and the unit of numbers", () => {
  expect(keyRows().length).toBeGreaterThan(150);
  expect(keyRows().filter(({ description }) => !/\S/.test(description))).toEqual([]);
  const bare = keyRows().filter(({ type, unit }) => unit === undefined && /^(whole )?number|^`\d/.test(type));
  expect(bare.map(({ path }) => path)).toEqual(["schemaVersion", "models[].sizing.steps[].step"]);
});

/** Keys that were promised: of the design, of the issues that others build on. One that goes here raises the version. */
const promised = `
  schemaVersion environment stage deployable
  pools[].name pools[].role pools[].shape pools[].minNodes pools[].maxNodes pools[].hourlyUsd pools[].selector
  pools[].labels pools[].taints[].key pools[].taints[].value pools[].taints[].effect
  pools[].fabric.kind pools[].fabric.access pools[].fabric.gbps pools[].fabric.device.resource
  models[].name models[].servedName models[].engine models[].engineVersion models[].task models[].pool models[].shape
  models[].gpusPerNode models[].tensorParallel models[].pipelineParallel models[].nodesPerReplica models[].minReplicas
  models[].maxReplicas models[].memoryPerGpu.weightsGiB models[].memoryPerGpu.kvCacheGiB
  models[].memoryPerGpu.overheadGiB models[].memoryPerGpu.totalGiB models[].memoryPerGpu.limitGiB
  models[].modelStorageGiB models[].startupBudgetSeconds models[].verdict.answer models[].verdict.decides
  models[].verdict.intervalGiB.below models[].verdict.intervalGiB.above models[].verdict.basis
  models[].verdict.coverage models[].serviceLevel.availability models[].serviceLevel.ttftMs
  models[].serviceLevel.tpotMs models[].serviceLevel.percentile models[].resources.cpu models[].resources.memoryGiB
  models[].resources.ephemeralStorageGiB models[].resources.gpus models[].nodeLink.transport models[].nodeLink.gbps
  models[].sizing.steps[].value models[].serverOf models[].server.models models[].server.memoryPerGpu.totalGiB
  models[].server.mostGiB models[].server.storageGiB
  cost.hourlyUsd cost.monthlyUsd cost.maxMonthlyUsd cost.items[].name cost.items[].monthlyUsd
  policies.passed policies.failed unplaced[].name unplaced[].rule unplaced[].nearest.pool
  models[].revisionOf.model models[].revisionOf.weight
  violations[].policy violations[].severity violations[].resource violations[].message violations[].fixes[].path
  violations[].fixes[].from violations[].fixes[].to violations[].fixes[].monthlyUsd
  resources[].urn resources[].type resources[].parent
`
  .trim()
  .split(/\s+/);

it("keeps every promised key", () => {
  const kept = new Set(keyRows().map(({ path }) => path));
  expect(promised.filter((path) => !kept.has(path))).toEqual([]);
});

describe("what users get of it", () => {
  it("is a page with every key and the version", () => {
    const page = planPage();
    expect(page).toContain(`\`schemaVersion\` is ${SCHEMA_VERSION}.`);
    expect(keyRows().filter(({ path }) => !page.includes(`| \`${path}\` |`))).toEqual([]);
  });

  it("is a JSON Schema that takes every plan, and one of a later release with more in it, but not with less", () => {
    const validate = new Ajv({ strict: true, strictTypes: false }).compile(JSON.parse(planSchemaText()));
    for (const document of documents.values()) {
      expect(validate(document)).toBe(true);
    }
    const [first] = documents.values();
    const { pools, ...others } = first as PlanJson;
    expect(validate({ ...others, pools: [{ ...pools[0], another: 1 }], another: {} })).toBe(true);
    expect(validate({ ...others, pools: [{ ...pools[0], minNodes: "1" }] })).toBe(false);
    expect(validate({ ...others, pools, schemaVersion: SCHEMA_VERSION + 1 })).toBe(false);
    expect(validate(others)).toBe(false);
  });

  it("is in step with the planner's types: an error of types here asks for the key in report/json", () => {
    expectTypeOf<Printed<z.output<typeof planSchema>>>().toEqualTypeOf<Printed<PlanJson>>();
  });

  it("is what the command prints", async () => {
    const { out } = await planOf(folder, laptop, "--json");
    const { resources, policies, violations, ...planned } = JSON.parse(out);
    expect(resources.length).toBeGreaterThan(100);
    expect(await planDocument(laptop, folder)).toMatchObject(planned);
  });

  it("shows no plan where the input is refused", async () => {
    const { status, out, err } = await planOf(folder, onA10({ serviceLevel: {} }), "--json");
    expect([status, out]).toEqual([2, ""]);
    expect(err).toContain("models.chat.serviceLevel");
  });
});

/** A type as JSON has it: immutable, and what is undefined is absent. */
type Printed<T> = T extends readonly (infer Item)[]
  ? readonly Printed<Item>[]
  : T extends object
    ? Flat<
        { readonly [K in keyof T as undefined extends T[K] ? never : K]: Printed<T[K]> } & {
          readonly [K in keyof T as undefined extends T[K] ? K : never]?: Printed<Exclude<T[K], undefined>>;
        }
      >
    : T;
type Flat<T> = { [K in keyof T]: T[K] };

/** Paths as in `keyRows`, of all that a document holds. */
function pathsIn(value: unknown, path = ""): string[] {
  if (Array.isArray(value)) {
    return value.flatMap((item) => pathsIn(item, `${path}[]`));
  }
  if (typeof value !== "object" || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([key, child]) => {
    const at = path === "" ? key : `${path}.${key}`;
    return [at, ...pathsIn(child, at)];
  });
}
