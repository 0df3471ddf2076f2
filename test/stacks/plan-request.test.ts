import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "../../names/repository-root";
import { readArchitectures } from "../../stacks/architectures";
import { type EnvironmentConfig, parseEnvironmentFile } from "../../stacks/config";
import { toPlanRequest } from "../../stacks/plan-request";
import { parseWith, rightEnvironment } from "./config/samples";
import { type EnvironmentName, environments } from "./run";

function environmentOf(parsed: ReturnType<typeof parseEnvironmentFile>): EnvironmentConfig {
  if (!parsed.ok) {
    throw new Error(parsed.problems.map(({ message }) => message).join("\n"));
  }
  return parsed.environment;
}

const requestOf = async (environment: EnvironmentConfig) =>
  toPlanRequest("test", environment, await readArchitectures(environment, repositoryRoot()));

describe("env of a model", () => {
  it("gives switches as 1 and 0, numbers as decimals and text unchanged", async () => {
    const env = {
      VLLM_BATCH_INVARIANT: true,
      VLLM_TRITON_USE_TD: false,
      VLLM_HTTP_TIMEOUT_KEEP_ALIVE: 5000,
      VLLM_LOGGING_LEVEL: "true",
    };
    const parsed = parseWith({ models: { chat: { model: "qwen2.5-7b-instruct", env } } });
    const { models } = await requestOf(environmentOf(parsed));
    expect(models[0]?.env).toEqual({
      VLLM_BATCH_INVARIANT: "1",
      VLLM_TRITON_USE_TD: "0",
      VLLM_HTTP_TIMEOUT_KEEP_ALIVE: "5000",
      VLLM_LOGGING_LEVEL: "true",
    });
  });
});

describe("keys that consumers give to images", () => {
  const whole = { "enable-prefix-caching": false };

  it.each([
    ["are left out with the salt", ["web", "batch"], {}, "qwen2.5-vl-7b-instruct", true, undefined],
    ["are left out without prompts that are salted", ["web", "batch"], whole, "qwen2.5-vl-7b-instruct", false, true],
    ["stay of one consumer", ["web"], whole, "qwen2.5-vl-7b-instruct", false, undefined],
    ["are none of a model that takes no images", ["web", "batch"], whole, "qwen2.5-7b-instruct", false, undefined],
  ] as const)("%s", async (_, consumers, args, model, salted, named) => {
    const { gateway } = rightEnvironment;
    const parsed = parseWith({ models: { chat: { model, args } }, gateway: { ...gateway, consumers } });
    const { models } = await requestOf(environmentOf(parsed));
    expect([models[0]?.prefixCaches !== undefined, models[0]?.namedImages]).toEqual([salted, named]);
  });
});

describe("taints of spot nodes", () => {
  /** Of all pools of an environment that the repository ships, each bought so. */
  async function taintsOf(name: EnvironmentName, capacity?: "spot"): Promise<string[]> {
    const text = readFileSync(join(repositoryRoot(), `Pulumi.${name}.yaml`), "utf8");
    const environment = environmentOf(parseEnvironmentFile(text));
    const pools = Object.entries(environment.pools).map(([pool, config]) => [pool, { ...config, capacity }]);
    const request = await requestOf({ ...environment, pools: Object.fromEntries(pools) });
    expect(request.pools.length).toBeGreaterThan(0);
    return [
      ...new Set(
        request.pools.flatMap(({ ownTaints = [] }) =>
          ownTaints.length > 0 ? ownTaints.map(({ key, effect }) => `${key}:${effect}`) : ["none"],
        ),
      ),
    ];
  }

  it.each(environments)("are expected of no pool of %s on demand", async (name) => {
    expect(await taintsOf(name)).toEqual(["none"]);
  });

  it.each(environments)("are Oracle's in %s on Oracle Cloud, and none elsewhere", async (name) => {
    const taint = name.startsWith("oci-") ? "oci.oraclecloud.com/oke-is-preemptible:NoSchedule" : "none";
    expect(await taintsOf(name, "spot")).toEqual([taint]);
  });
});

describe("zones of a pool", () => {
  it("have names where nodes are made on AWS: its own, else the network's", async () => {
    const text = readFileSync(join(repositoryRoot(), "Pulumi.aws-prod.yaml"), "utf8");
    const environment = environmentOf(parseEnvironmentFile(text));
    const [name = "", config] = Object.entries(environment.pools).find(([, { zones }]) => zones === undefined) ?? [];
    const zonesIn = async (provision: "create" | "existing", zones?: string[]) => {
      const cluster = { ...environment.cluster, provision } as EnvironmentConfig["cluster"];
      const pools = { ...environment.pools, [name]: { ...config, zones } } as EnvironmentConfig["pools"];
      const { pools: found } = await requestOf({ ...environment, cluster, pools });
      return found.find((pool) => pool.name === name);
    };
    const { cluster } = environment;
    const ofNetwork = cluster.kind === "aws" ? cluster.eks?.zones : undefined;
    expect(await zonesIn("create")).toMatchObject({ zones: ofNetwork?.length, zoneNames: ofNetwork });
    expect(await zonesIn("create", ["us-east-1a"])).toMatchObject({ zones: 1, zoneNames: ["us-east-1a"] });
    expect(await zonesIn("existing")).not.toHaveProperty("zoneNames");
  });
});

describe("what a pool may have at most", () => {
  it.each([
    ["edge-nvidia", {}, { nodes: 1, zones: 1 }],
    ["oci-a10", {}, { nodes: 1000, zones: 3 }],
    ["aws-prod", {}, { nodes: 1000, zones: 6 }],
    ["aws-prod", { capacity: { reservation: "cr-0123456789abcdef0" } }, { nodes: 1000, zones: 1 }],
  ] as const)("is what the rules of %s allow with %j", async (name, change, most) => {
    const text = readFileSync(join(repositoryRoot(), `Pulumi.${name}.yaml`), "utf8");
    const environment = environmentOf(parseEnvironmentFile(text));
    const pools = Object.entries(environment.pools).map(([pool, config]) => [pool, { ...config, ...change }]);
    const request = await requestOf({ ...environment, pools: Object.fromEntries(pools) });
    expect(request.pools.map((pool) => pool.most)).toEqual(request.pools.map(() => most));
  });
});
