/**
 * What an engine is told when it starts is what the plan computed: configurations by hand and at random, planned,
 * rendered by the engine's component, read back by the engine's reader (told/).
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EngineName, engineNames, engineOf } from "../../engines";
import { modelNamespaceName } from "../../names/namespaces";
import { repositoryRoot } from "../../names/repository-root";
import { planDeployment } from "../../planner/plan";
import type { ModelPlan } from "../../planner/types";
import { readArchitectures } from "../../stacks/architectures";
import { formatProblems } from "../../stacks/config";
import { toPlanRequest } from "../../stacks/plan-request";
import { deployServing } from "../components/serving/fixture";
import { atNight } from "../harness/property-runs";
import { parseWith } from "../stacks/config/samples";
import { PLANNED, type Question, type Told } from "./told/contract";
import { READERS } from "./told/table";

/** Machines of every size, so that most models find a place: on a card, on several of a node, over nodes. */
const pools = {
  system: { shape: "m7i.2xlarge", maxNodes: 3 },
  h100: { shape: "p5.48xlarge", maxNodes: 8 },
  l40s: { shape: "g6e.12xlarge", maxNodes: 8 },
  l4: { shape: "g6.xlarge", maxNodes: 8 },
};

const questions = Object.keys(PLANNED) as Question[];

interface Reading {
  readonly plan: ModelPlan;
  readonly pods: readonly Told[];
}

/** Adapters answer to names of their own in the whole environment. */
function withOwnAdapters(name: string, model: { readonly adapters?: object }): object {
  const adapters = model.adapters && Object.entries(model.adapters).map(([key, value]) => [`${name}-${key}`, value]);
  return { ...model, ...(adapters && { adapters: Object.fromEntries(adapters) }) };
}

/** Plans models on an engine, deploys what finds a place, and reads what their pods are told. */
async function read(engine: EngineName, settings: readonly object[]): Promise<Reading[]> {
  const models = Object.fromEntries(
    settings.map((model, index) => [`m${index}`, { ...withOwnAdapters(`m${index}`, model), engine }]),
  );
  const file = parseWith({ cluster: { kind: "aws" }, pools, models });
  if (!file.ok) {
    throw new Error(formatProblems(file.problems));
  }
  const architectures = await readArchitectures(file.environment, repositoryRoot());
  const plan = planDeployment(toPlanRequest("test", file.environment, architectures));
  if (plan.models.length === 0) {
    return [];
  }
  const { deployment } = await deployServing(plan.models);
  return plan.models.map((model) => {
    const namespace = modelNamespaceName(model.name);
    const objects = deployment.recording.resources.filter(
      ({ inputs }) => (inputs.metadata as { readonly namespace?: string } | undefined)?.namespace === namespace,
    );
    return { plan: model, pods: READERS[engine].told(objects) };
  });
}

/** Every answer that is not the plan's. */
function differences({ plan, pods }: Reading): string[] {
  return pods.flatMap((told) =>
    questions.flatMap((question) => {
      const [answer, planned] = [told[question], PLANNED[question](plan)];
      const isAnswer = typeof answer !== "object";
      return isAnswer && answer !== planned ? [`${plan.name}.${question}: planned ${planned}, told ${answer}`] : [];
    }),
  );
}

/** Questions that some pod has no answer to. */
function openQuestions(readings: readonly Reading[]): Question[] {
  const told = readings.flatMap(({ pods }) => pods);
  return questions.filter((question) => told.some((each) => typeof each[question] === "object"));
}

describe.each(engineNames)("what %s is told", (engine) => {
  const { models, examples } = READERS[engine];
  const { tensor, overNodes } = engineOf(engine).parallelism;

  it("is what the plan computed, in each way in which it is deployed", async () => {
    const readings = await read(engine, examples);
    expect(readings.map(({ pods }) => pods.length > 0)).toEqual(examples.map(() => true));
    expect(readings.flatMap(differences)).toEqual([]);
    const most = (of: (plan: ModelPlan) => number) => Math.max(...readings.map(({ plan }) => of(plan)));
    expect(most((plan) => plan.tensorParallel) > 1).toBe(tensor);
    expect(most((plan) => plan.nodesPerReplica) > 1).toBe(overNodes);
    const mustAnswer: readonly Question[] = [
      "version",
      "gpus",
      ...(tensor ? (["tensorParallel"] as const) : []),
      ...(overNodes ? (["pipelineParallel"] as const) : []),
    ];
    expect(openQuestions(readings).filter((question) => mustAnswer.includes(question))).toEqual([]);
  });

  it("is what the plan computed, whatever is asked for", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(models, { minLength: 6, maxLength: 6 }), async (settings) => {
        expect((await read(engine, settings)).flatMap(differences)).toEqual([]);
      }),
      { numRuns: atNight(4, 2) },
    );
  });
});
