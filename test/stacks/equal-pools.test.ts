/** Pools that the scheduler could take for one another, from the file of an environment to its plan. */
import { describe, expect, it } from "vitest";
import type { DeploymentPlan } from "../../planner/types";
import { nodesOf } from "../../rehearsal/cluster/existing-parts";
import { equalPools, TOLD_APART } from "../cli/equal-pools";
import { environmentText, problemsWith } from "./config/samples";
import { changedPlan, planText, refusalsOf } from "./planned";
import { environments } from "./run";

const SHAPE = "node.kubernetes.io/instance-type";
const overlaps = ({ problems }: DeploymentPlan) => problems.filter(({ rule }) => rule === "pools-overlap");

describe("two pools of one shape that are dedicated to two models", () => {
  it("are refused, with the lines that tell them apart", async () => {
    const { plan } = await planText(environmentText(equalPools()));
    const [problem] = overlaps(plan);
    expect(plan.problems).toEqual([problem]);
    expect(problem).toMatchObject({ severity: "mandatory", subject: "pools.blue" });
    for (const said of ['"red" (dedicated to chat)', '"blue" (dedicated to code)', `${SHAPE}=VM.GPU.A10.1`]) {
      expect(problem?.message).toContain(said);
    }
    for (const [pool, labels] of Object.entries(TOLD_APART)) {
      const [[key, value] = []] = Object.entries(labels);
      expect(problem?.message).toContain(`\n- pools.${pool}.labels: {${key}: ${value}}\n`);
    }
  });

  it("are told apart by those lines: no node of one is another's", async () => {
    const { plan } = await planText(environmentText(equalPools(TOLD_APART)));
    expect(refusalsOf(plan)).toEqual([]);
    expect(plan.models.map(({ name, pool, nodeSelector }) => [name, pool, nodeSelector])).toEqual([
      ["chat", "red", { [SHAPE]: "VM.GPU.A10.1", ...TOLD_APART.red }],
      ["code", "blue", { [SHAPE]: "VM.GPU.A10.1", ...TOLD_APART.blue }],
    ]);
    expect(homesOf(plan)).toEqual({ chat: ["red-0", "red-1"], code: ["blue-0", "blue-1"] });
  });

  it("are all named at once", async () => {
    const { pools, ...rest } = equalPools();
    const cpus = { shape: "VM.Standard.A1.Flex", ocpus: 8, memoryGiB: 48, role: "cpu" };
    const more = { red2: { shape: "VM.GPU.A10.2" }, blue2: { shape: "VM.GPU.A10.2" }, cpus };
    const { plan } = await planText(environmentText({ ...rest, pools: { ...pools, ...more } }));
    expect(overlaps(plan).map(({ subject }) => subject)).toEqual(["pools.blue", "pools.blue2", "pools.cpus"]);
    expect(overlaps(plan)[2]?.message.split("\n").slice(1)).toEqual([
      "- pools.cpus.labels: {inference-stacks.io/pool: cpus}",
      expect.stringMatching(/^or /),
    ]);
  });
});

describe.each(environments)("the pools of %s", (name) => {
  it("are told apart, and every model finds the nodes of its pool alone", async () => {
    const { plan } = await changedPlan(name);
    expect(overlaps(plan)).toEqual([]);
    const homes = homesOf(plan);
    for (const { name: model, pool } of plan.models) {
      const own = nodesOf(plan).map(({ metadata }) => metadata.name);
      expect(homes[model]).toEqual(own.filter((node) => node.replace(/-\d+$/, "") === pool));
    }
  });
});

it("refuses more pools than it would compare", () => {
  const pools = Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`p${i}`, { shape: "VM.GPU.A10.2" }]));
  expect(problemsWith({ pools })).toContainEqual(
    expect.objectContaining({ path: "pools", message: expect.stringMatching(/201 pools.*at most 200/s) }),
  );
});

/** The nodes that each model's selector takes, of all that the plan may have. */
function homesOf(plan: DeploymentPlan): Record<string, string[]> {
  return Object.fromEntries(
    plan.models.map(({ name, nodeSelector }) => [
      name,
      nodesOf(plan)
        .filter(({ metadata }) => Object.entries(nodeSelector).every(([key, is]) => metadata.labels?.[key] === is))
        .map(({ metadata }) => metadata.name),
    ]),
  );
}
