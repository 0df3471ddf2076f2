import { beforeAll, describe, expect, it } from "vitest";
import type { CloudCapacity } from "../../components/cluster/oke/capacity";
import type { DeploymentPlan } from "../../planner/types";
import { type CapacityQuestions, CapacityRefusedError, checkCloudCapacity } from "../../stacks/cloud-capacity";
import { isUserMistake } from "../../stacks/program";
import { changedPlan } from "./planned";

const SHAPES = ["VM.GPU.A10.1", "VM.GPU.A10.2", "VM.Standard.A1.Flex"];

/** A region of one domain with so many A10 left. */
function region(gpus: number): CloudCapacity {
  const shapes = Object.fromEntries(
    SHAPES.map((shape) => [shape, [shape.includes("A10") ? "gpu-a10-count" : "vm-x-count"]]),
  );
  const available = { "gpu-a10-count": gpus, "vm-x-count": 10 };
  return { domains: { 1: { name: "X:AD-1", shapes, available } }, running: {} };
}

/** Asks Oracle alone: there are no other machines. */
const oracle = (oci: CapacityQuestions["oci"]): CapacityQuestions => ({
  oci,
  aws: async () => {
    throw new Error("asked Amazon");
  },
});

describe("checkCloudCapacity", () => {
  let args: Parameters<typeof checkCloudCapacity>[0];
  let plan: DeploymentPlan;

  beforeAll(async () => {
    args = await changedPlan("oci-a10");
    ({ plan } = args);
  });

  it("refuses with a message of the user's: number, place, remedy", async () => {
    const refused = checkCloudCapacity(
      args,
      oracle(async () => region(2)),
    );
    await expect(refused).rejects.toThrow(CapacityRefusedError);
    const error = await refused.catch((thrown: unknown) => thrown);
    expect(isUserMistake(error)).toBe(true);
    expect(String(error)).toContain(
      'the cloud has no room for environment "oci-a10":\n  pools.a10: 3 GPUs more are needed',
    );
    expect(String(error)).toContain("and 2 are left of gpu-a10-count");
  });

  it("lets pass what there is room for, and says what it may not grow to", async () => {
    expect(
      await checkCloudCapacity(
        args,
        oracle(async () => region(3)),
      ),
    ).toEqual([expect.stringMatching(/^room for minNodes, but .*: 6 GPUs /)]);
    expect(
      await checkCloudCapacity(
        args,
        oracle(async () => region(6)),
      ),
    ).toEqual([]);
  });

  it("does not refuse because nobody answered", async () => {
    const notes = await checkCloudCapacity(
      args,
      oracle(async () => {
        throw new Error("401-NotAuthenticated");
      }),
    );
    expect(notes).toEqual([expect.stringContaining("401-NotAuthenticated")]);
  });

  it("asks nothing about clusters that exist", async () => {
    const ask = oracle(async () => {
      throw new Error("asked");
    });
    const { cluster } = args.environment;
    const exists = { ...args.environment, cluster: { ...cluster, provision: "existing" } as typeof cluster };
    expect(await checkCloudCapacity({ environment: exists, plan }, ask)).toEqual([]);
    expect(await checkCloudCapacity({ environment: { ...args.environment, scope: "platform" }, plan }, ask)).toEqual(
      [],
    );
  });

  it("is announced once by the plan, which needs no credentials", () => {
    expect(plan.problems.filter(({ rule }) => rule === "cloud-capacity")).toEqual([
      expect.objectContaining({ severity: "advisory", message: expect.stringContaining("pulumi preview asks") }),
    ]);
  });
});

describe("checkCloudCapacity of Amazon's clusters", () => {
  const amazon = (aws: CapacityQuestions["aws"]): CapacityQuestions => ({
    oci: async () => {
      throw new Error("asked Oracle");
    },
    aws,
  });

  it("asks where nodes are made, and refuses what exceeds a quota", async () => {
    const args = await changedPlan("aws-prod");
    const answer = (cpus: number) =>
      amazon(async (pools) => ({
        zones: Object.fromEntries(pools.map(({ plan: { shape }, zones }) => [shape.name, zones])),
        quotas: { "L-1216C47A": cpus, "L-DB2E81BA": 10_000, "L-417A185B": 10_000, "L-3819A6DF": 10_000 },
      }));
    await expect(checkCloudCapacity(args, answer(1))).rejects.toThrow(/CPUs are needed at once .*L-1216C47A\) is 1/);
    expect(await checkCloudCapacity(args, answer(10_000))).toEqual([]);
    const existing = { ...args.environment, scope: "platform" as const };
    expect(await checkCloudCapacity({ ...args, environment: existing }, answer(1))).toEqual([]);
  });
});
