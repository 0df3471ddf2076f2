import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "../../../names/repository-root";
import {
  type EnvironmentConfig,
  formatProblems,
  machineOf,
  parseEnvironmentFile,
  roleOf,
} from "../../../stacks/config";

function environment(name: string): EnvironmentConfig {
  const file = `Pulumi.${name}.yaml`;
  const parsed = parseEnvironmentFile(readFileSync(join(repositoryRoot(), file), "utf8"));
  if (!parsed.ok) {
    throw new Error(formatProblems(parsed.problems, file));
  }
  return parsed.environment;
}

const names = ["dev", "oci-a10", "oci-h100", "aws-prod", "edge-nvidia", "edge-radeon"];

describe("the environments of the repository", () => {
  it.each(names)("%s is right, and every pool is a machine with a role", (name) => {
    const { pools, models } = environment(name);
    expect(Object.keys(models).length).toBeGreaterThan(0);
    for (const pool of Object.values(pools)) {
      const machine = machineOf(pool);
      expect(machine.memoryGiB).toBeGreaterThan(0);
      expect(roleOf(pool, machine)).toBe(pool.role ?? (machine.gpu ? "gpu" : "system"));
    }
  });

  it.each(names)("%s has host memory of twice its GPUs' (model cache and batch buffers)", (name) => {
    for (const pool of Object.values(environment(name).pools)) {
      const { gpu, memoryGiB } = machineOf(pool);
      expect(memoryGiB).toBeGreaterThanOrEqual(2 * (gpu ? gpu.count * gpu.memoryGiB : 0));
    }
  });

  it("dev needs no GPU, the others are for production", () => {
    const dev = environment("dev");
    expect(dev).toMatchObject({
      stage: "development",
      cluster: { kind: "local" },
      observability: { profile: "light" },
    });
    expect(Object.values(dev.pools).every((pool) => !machineOf(pool).gpu)).toBe(true);
    for (const name of names.slice(1)) {
      expect(environment(name).stage).toBe("production");
    }
  });

  it("oci-h100 has two machines for the 405 B model alone", () => {
    const { models, pools } = environment("oci-h100");
    expect(models["llama-405b"]).toMatchObject({ model: "llama-3.1-405b-instruct", pools: ["h100"] });
    expect(pools.h100).toMatchObject({ shape: "BM.GPU.H100.8", minNodes: 2, dedicatedTo: ["llama-405b"] });
  });

  it("edge-radeon has a model for each domain, one card each", () => {
    const { models, pools } = environment("edge-radeon");
    expect(Object.values(models).map((model) => model.domain)).toEqual(["legal", "healthcare", "financial", "cyber"]);
    expect(pools.radeon && machineOf(pools.radeon).gpu).toMatchObject({ vendor: "amd", count: 4 });
  });

  it("sizes flexible shapes", () => {
    const { pools } = environment("oci-a10");
    expect(pools.system && machineOf(pools.system)).toMatchObject({ memoryGiB: 24, cpu: { arch: "arm64", vcpus: 4 } });
  });
});
