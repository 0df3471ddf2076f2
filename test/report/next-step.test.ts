/** What a user types after a plan, and what nodes of a cluster that exists need before. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "../../names/repository-root";
import { setSecretCommand } from "../../names/secret-command";
import type { ModelPlan } from "../../planner/types";
import { BEFORE, correctFirst, nextSteps } from "../../report/next-step";
import { nodeCommands } from "../../report/node-commands";
import { sourceFiles } from "../architecture/imports";
import { planResult, poolPlan, shape } from "./html.fixture";

const onOwn = { ...planResult, cluster: { ...planResult.cluster, provision: "create" as const } };

describe("what comes after a plan", () => {
  it("examines a cluster that exists first, and makes the stack where there is none yet", () => {
    expect(nextSteps(planResult)).toEqual([
      "npm run doctor -- aws-prod",
      "pulumi stack init aws-prod   # once",
      "pulumi up -s aws-prod --policy-pack policies",
    ]);
    expect(nextSteps({ ...onOwn, from: { hasStack: true } })).toEqual(["pulumi up -s aws-prod --policy-pack policies"]);
  });

  it("sets the token of gated models once there is a stack", () => {
    const gated = { policy: "gated-models", resource: "huggingFaceToken", severity: "advisory" as const, message: "" };
    expect(nextSteps({ ...onOwn, violations: [gated] })).toEqual([
      "pulumi stack init aws-prod   # once",
      setSecretCommand("huggingFaceToken", "aws-prod"),
      "pulumi up -s aws-prod --policy-pack policies",
    ]);
    expect(correctFirst({ violations: [gated] })).toEqual([]);
  });

  it("is commands that a shell reads, also where they are copied with their comments", () => {
    const script = nextSteps(planResult).join("\n");
    expect(spawnSync("sh", ["-n"], { input: script, encoding: "utf8" }).stderr).toBe("");
  });

  it("is first to correct what pods would not start with, or clients not trust", () => {
    const advice = (policy: string, resource: string) => ({
      policy,
      resource,
      severity: "advisory" as const,
      message: "",
    });
    const found = [
      advice("model-control-image", "modelControl.image"),
      advice("example-names", "gateway.hostname"),
      advice("example-names", "observability.runbookUrl"),
      advice("api-server-cidrs", "cluster.apiServerCidrs"),
    ];
    expect(correctFirst({ violations: found })).toEqual(found.slice(0, 2));
  });

  it("names rules that exist", () => {
    const sources = sourceFiles().filter((file) => /^stacks\//.test(file));
    const text = sources.map((file) => readFileSync(join(repositoryRoot(), file), "utf8")).join("\n");
    expect(Object.keys(BEFORE).filter((rule) => !text.includes(`"${rule}"`))).toEqual([]);
  });

  it("names the file that Pulumi would not look for", () => {
    expect(nextSteps({ ...planResult, from: { config: "my files/a.yaml", hasStack: true } })).toEqual([
      "npm run doctor -- aws-prod --config 'my files/a.yaml'",
      "pulumi up -s aws-prod --policy-pack policies --config-file 'my files/a.yaml'",
    ]);
  });
});

describe("what nodes of a cluster that exists need", () => {
  const gpus = poolPlan({
    name: "gpu",
    role: "gpu",
    shape: shape("g6e.xlarge"),
    selector: { "node.kubernetes.io/instance-type": "g6e.xlarge", "inference-stacks.io/pool": "gpu" },
    taints: [{ key: "nvidia.com/gpu", effect: "NoSchedule" }],
  });
  const system = poolPlan({ name: "system", role: "system", shape: shape("m7i.xlarge") });
  const existing = { provision: "existing", kind: "aws" } as const;
  const models: ModelPlan[] = [];

  it("is the label that pods select by, less the cloud's own, and a taint", () => {
    expect(nodeCommands(gpus, { pools: [system, gpus], models }, existing)).toEqual([
      "kubectl label node <node of gpu> inference-stacks.io/pool=gpu",
      "kubectl taint node <node of gpu> nvidia.com/gpu=:NoSchedule",
    ]);
  });

  it("is the zone on machines of one's own, where replicas are kept apart by zones", () => {
    const apart = { availability: { apart: { nodes: 2, zones: 2 } }, pool: "gpu" } as ModelPlan;
    const label = "kubectl label node <node of gpu> topology.kubernetes.io/zone=<its zone>";
    const own = { provision: "existing", kind: "edge" } as const;
    expect(nodeCommands(gpus, { pools: [gpus], models: [apart] }, own)).toContain(label);
    expect(nodeCommands(gpus, { pools: [gpus], models: [apart] }, existing)).not.toContain(label);
    expect(nodeCommands(gpus, { pools: [gpus], models }, own)).not.toContain(label);
  });

  it("is no taint where the platform has no other nodes, and nothing on nodes that a stack makes", () => {
    expect(nodeCommands(gpus, { pools: [gpus], models }, existing)).toEqual([expect.stringContaining("kubectl label")]);
    expect(nodeCommands(gpus, { pools: [system, gpus], models }, { provision: "create", kind: "aws" })).toEqual([]);
    expect(nodeCommands(gpus, { pools: [system, gpus], models }, { provision: "stack", kind: "aws" })).toEqual([]);
  });
});
