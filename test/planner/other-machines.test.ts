import { expect, it } from "vitest";
import { otherMachines } from "../../planner/other-machines";
import { planDeployment } from "../../planner/plan";
import { environmentOf, modelOf, poolOf } from "./fixtures";

const chat = modelOf("qwen2.5-7b-instruct", { name: "chat", concurrency: 4, maxReplicas: 1, tensorParallel: 1 });
const large = modelOf("llama-3.1-70b-instruct", { name: "large", concurrency: 1, maxReplicas: 1 });

it("names the machines with which the plan holds, cheapest plan first, and not the one that is not to be had", () => {
  const request = environmentOf([poolOf("VM.GPU.A10.1", 2)], [chat]);
  const { name = "" } = request.pools.at(-1) ?? {};
  const others = otherMachines(request, name);
  const shapes = others.map(({ shape }) => shape);
  expect(shapes).not.toContain("VM.GPU.A10.1");
  expect(shapes).toContain("VM.GPU.A10.2");
  expect(others.map(({ monthlyUsd }) => monthlyUsd)).toEqual(
    others.map(({ monthlyUsd }) => monthlyUsd).toSorted((a, b) => a - b),
  );
  const now = planDeployment(request).cost.monthlyUsd;
  expect(others[0]?.monthlyUsd).toBeGreaterThan(now);
});

it("leaves out machines that hold no replica, and those over the budget", () => {
  const request = environmentOf([poolOf("BM.GPU.H100.8", 1)], [large]);
  const { name = "" } = request.pools.at(-1) ?? {};
  const shapes = (of: typeof request) => otherMachines(of, name).map(({ shape }) => shape);
  expect(shapes(request)).toContain("BM.GPU.H200.8");
  expect(shapes(request)).not.toContain("VM.GPU.A10.1");
  expect(shapes({ ...request, monthlyBudgetUsd: 1 })).toEqual([]);
});

it("has nothing to say of a pool that it does not know", () => {
  expect(otherMachines(environmentOf([poolOf("VM.GPU.A10.1", 2)], [chat]), "unknown")).toEqual([]);
});
