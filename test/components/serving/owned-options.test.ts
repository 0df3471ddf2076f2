/** What the platform sets itself, a user cannot set too: two values of one flag, or one variable twice, would be chance. */
import { describe, expect, it } from "vitest";
import { groupArguments, vllmArguments } from "../../../components/serving/vllm-args";
import type { ModelPlan } from "../../../planner/types";
import { groupPlan, modelPlan, ollamaPlan } from "../../harness/plans";
import { problemsWith } from "../../stacks/config/samples";
import { type Container, container, deployServing, type PodSpec, podTemplate, specOf } from "./fixture";

const variants: readonly ModelPlan[] = [
  modelPlan(),
  modelPlan({ loading: "stream", kvCacheDtype: "fp8", quantization: "fp8", maxNumSeqs: 64 }),
  modelPlan({ engineSettings: { sleepMode: true } }),
  modelPlan({ chatTemplate: { file: "chat.jinja", text: "{{ messages }}" }, task: "chat" }),
];

async function engineOf(model: ModelPlan): Promise<Container> {
  const { deployment } = await deployServing([model], {});
  if (model.nodesPerReplica > 1) {
    const [group] = deployment.ofKind("LeaderWorkerSet");
    if (!group) {
      throw new Error("no group");
    }
    const { leaderWorkerTemplate } = specOf(group) as { leaderWorkerTemplate: { leaderTemplate: { spec: PodSpec } } };
    return container(leaderWorkerTemplate.leaderTemplate.spec, "vllm");
  }
  const [type, suffix] =
    model.engine === "ollama"
      ? ["kubernetes:apps/v1:StatefulSet", "server-statefulset"]
      : ["kubernetes:apps/v1:Deployment", "server-deployment"];
  const workload = deployment.resource(type, `serving-${model.name}-${suffix}`);
  return container(podTemplate(workload).spec, model.engine);
}

describe("what the platform sets", () => {
  it("as a flag of vLLM cannot stand under args", () => {
    const words = [
      ...variants.flatMap((model) => vllmArguments(model, "/m")),
      ...groupArguments(groupPlan(), "/m", "leader"),
      ...groupArguments(groupPlan(), "/m", "worker"),
    ];
    const flags = new Set(words.flatMap((word) => /^--([\w-]+)/.exec(word)?.[1] ?? []));
    expect(flags.size).toBeGreaterThan(15);
    const free = [...flags].filter((flag) => {
      const models = { chat: { model: "qwen2.5-7b-instruct", args: { [flag]: flag === "headless" ? true : 1 } } };
      return !problemsWith({ models }).some(({ allowed }) => /^(set by|not to be set)/.test(allowed));
    });
    expect(free).toEqual([]);
  });

  it.each([...variants, groupPlan(), groupPlan({ loading: "stream" })].map((model, index) => ({ model, index })))(
    "as a variable of vLLM cannot stand under env ($index)",
    async ({ model }) => {
      const { env } = await engineOf(model);
      expect(env.length).toBeGreaterThan(8);
      const free = env.filter(({ name }) => {
        const models = { chat: { model: "qwen2.5-7b-instruct", env: { [name]: "1" } } };
        return !problemsWith({ models }).some(({ allowed }) => /^(set by|not to be set)/.test(allowed));
      });
      expect(free.map(({ name }) => name)).toEqual([]);
    },
  );

  it("as a variable of Ollama cannot stand under env", async () => {
    const { env } = await engineOf(ollamaPlan());
    expect(env.length).toBeGreaterThan(8);
    const free = env.filter(({ name }) => {
      const models = { small: { model: "llama-3.2-3b-instruct", engine: "ollama", env: { [name]: "1" } } };
      return !problemsWith({ models }).some(({ allowed }) => /^(set by|not to be set)/.test(allowed));
    });
    expect(free.map(({ name }) => name)).toEqual([]);
  });
});
