/** What is proposed of a model with a canary can be written: the canary has few settings of its own, the rest is its model's. */
import { expect, it } from "vitest";
import { modelSettings } from "../../../planner/fixes/model-settings";
import { planWithAdvice } from "../../../planner/plan-with-advice";
import type { ModelRequest } from "../../../planner/request";
import { environmentOf, modelOf, poolOf } from "../fixtures";

const chat = modelOf("qwen2.5-7b-instruct", { name: "chat", concurrency: 4, maxReplicas: 1, tensorParallel: 1 });
const canary: ModelRequest = {
  ...chat,
  name: "chat-canary",
  minReplicas: 2,
  maxReplicas: 2,
  revisionOf: { model: "chat", weight: 0 },
};
const request = environmentOf([poolOf("VM.GPU.A10.1", 4)], [chat, canary]);

it("changes in both what both have", () => {
  const settings = new Map(modelSettings(request, chat).map((setting) => [setting.path, setting.at(0).request.models]));
  expect(settings.get("models.chat.concurrency")?.map(({ concurrency }) => concurrency)).toEqual([3, 3]);
  const unpinned = settings.get("models.chat.vllm.tensorParallel");
  expect(unpinned?.map(({ tensorParallel }) => tensorParallel)).toEqual([undefined, undefined]);
});

it("names of the canary its own settings alone", () => {
  const paths = modelSettings(request, canary).map(({ path }) => path);
  expect(paths).toEqual(["models.chat-canary.replicas", "models.chat-canary.quantization"]);
  const [replicas] = modelSettings(request, canary);
  expect(replicas?.at(0).request.models.map(({ minReplicas }) => minReplicas)).toEqual([1, 1]);
});

it("is found where it helps", () => {
  const dearest = planWithAdvice(request).cost.monthlyUsd;
  const { problems } = planWithAdvice({ ...request, monthlyBudgetUsd: dearest - 1 });
  const paths = problems.flatMap(({ fixes = [] }) => fixes).map(({ path }) => path);
  expect(paths).toContain("models.chat-canary.replicas");
});
