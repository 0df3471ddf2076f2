import { describe, expect, it } from "vitest";
import { namesOf } from "../../../components/serving/endpoint";
import type { ModelPlan } from "../../../planner/types";
import { adaptersPlan, hubAdapter } from "../../harness/adapters";
import { groupPlan, modelPlan } from "../../harness/plans";
import { container, deployServing, literals, type PodSpec, podTemplate } from "./fixture";

const DEPLOYMENT = "kubernetes:apps/v1:Deployment";
const JOB = "kubernetes:batch/v1:Job";
const FROM_BUCKET = hubAdapter("rulings", { source: { kind: "bucket", uri: "s3://models/rulings-lora" } });

async function deployed(overrides: Partial<ModelPlan> = {}) {
  const model = modelPlan({ adapters: adaptersPlan({ list: [hubAdapter("contracts"), FROM_BUCKET] }), ...overrides });
  const { deployment, serving } = await deployServing([model]);
  const template = podTemplate(deployment.resource(DEPLOYMENT, "serving-llama-8b-server-deployment"));
  return { deployment, serving, template };
}

interface Template {
  readonly spec: PodSpec;
}

function templatesOf({ spec }: Readonly<Record<string, unknown>>) {
  type Group = { readonly leaderWorkerTemplate: Readonly<Record<"leaderTemplate" | "workerTemplate", Template>> };
  return (spec as Group).leaderWorkerTemplate;
}

describe("a model with LoRA adapters", () => {
  it("answers to their names too", async () => {
    const { serving } = await deployed();
    expect(serving.endpoints.map(namesOf)).toEqual([["llama-3.1-8b-instruct", "contracts", "rulings"]]);
  });

  it.each(["copy", "stream"] as const)("gets them into a folder of its pod, with loading %s", async (loading) => {
    const { template } = await deployed({ loading });
    const { spec } = template;
    const fetch = container(spec, "fetch-adapters");
    expect(spec.initContainers?.at(-1)?.name).toBe("fetch-adapters");
    expect(literals(fetch)).toMatchObject({
      BUCKET: "models",
      TARGET: "/adapters",
      PIN_FOLDER: "/etc/weights-manifest",
    });
    expect(JSON.parse(literals(fetch).ADAPTERS ?? "")).toEqual([
      {
        name: "contracts",
        path: "models.llama-8b.adapters.contracts",
        prefix: "_adapters/llama-8b/contracts",
        isPinned: true,
      },
      { name: "rulings", path: "models.llama-8b.adapters.rulings", prefix: "rulings-lora", isPinned: false },
    ]);
    expect(JSON.parse(literals(fetch).ADAPTER_LIMITS ?? "")).toMatchObject({
      maxRank: 16,
      rankKey: "models.llama-8b.vllm.maxLoraRank",
      maxBytes: 200_000_000,
    });
    expect(spec.volumes).toContainEqual({ name: "adapters", emptyDir: { sizeLimit: "2Gi" } });
    const engine = container(spec, "vllm");
    expect(engine.volumeMounts).toContainEqual({ name: "adapters", mountPath: "/adapters", readOnly: true });
    const volumes = spec.volumes.map(({ name }) => name);
    expect(new Set(volumes).size).toBe(volumes.length);
  });

  it("has the Job that copies them, with what the engine takes, whoever brought the weights", async () => {
    const { deployment } = await deployed({ source: { kind: "bucket", uri: "s3://models/llama" } });
    const { spec } = podTemplate(deployment.resource(JOB, "storage-sync-llama-8b-copy-job"));
    expect(spec.containers.map(({ name }) => name)).toEqual(["sync-adapters"]);
    expect(JSON.parse(literals(container(spec, "sync-adapters")).ADAPTERS ?? "")).toEqual([
      {
        name: "contracts",
        path: "models.llama-8b.adapters.contracts",
        repository: "org/contracts-lora",
        revision: "main",
        prefix: "_adapters/llama-8b/contracts",
      },
    ]);
  });

  it("reads the prefixes of its adapters with its own keys, and no others", async () => {
    const { deployment } = await deployed();
    const policies = deployment.resource("kubernetes:core/v1:ConfigMap", "storage-setup-policies").inputs.data;
    const policy = JSON.parse((policies as Readonly<Record<string, string>>)["reader-llama-8b.json"] ?? "{}");
    expect(policy.Statement[0].Resource).toEqual([
      "arn:aws:s3:::models/llama-8b/*",
      "arn:aws:s3:::models/_adapters/llama-8b/contracts/*",
      "arn:aws:s3:::models/rulings-lora/*",
    ]);
  });

  it("rolls its pods when one changes, and not when another model gets one", async () => {
    const annotations = async (revision: string) => {
      const list = [hubAdapter("contracts", { source: { kind: "huggingface", repository: "org/a", revision } })];
      return (await deployed({ adapters: adaptersPlan({ list }) })).template.metadata.annotations;
    };
    expect(await annotations("v1")).toEqual(await annotations("v1"));
    expect(await annotations("v2")).not.toEqual(await annotations("v1"));
  });

  it("has them on every node of a replica", async () => {
    const { deployment } = await deployServing([groupPlan({ adapters: adaptersPlan() })]);
    const [group] = deployment.ofKind("LeaderWorkerSet");
    const { leaderTemplate, workerTemplate } = templatesOf(group?.inputs ?? {});
    for (const { spec } of [leaderTemplate, workerTemplate]) {
      expect(container(spec, "fetch-adapters").command).toEqual(["node", "/scripts/fetch-adapters.ts"]);
      expect(container(spec, "vllm").args).toContain("--enable-lora");
    }
  });
});
