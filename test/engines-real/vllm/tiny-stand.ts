import { planDeployment } from "../../../planner/plan";
import type { ModelRequest } from "../../../planner/request";
import type { ModelPlan } from "../../../planner/types";
import type { ContainerFolder } from "../../e2e/model-store/container-folder";
import { Stand } from "../../e2e/model-store/stand";
import { environmentOf, modelOf, poolOf } from "../../planner/fixtures";
import type { TinyModel } from "./tiny-model";

const TOKEN = "hf_0123456789abcdefghijklmnopqrstuvwx";
const REPOSITORY = "org/tiny";
export const SERVED = "tiny-llama";
/** Tokens. */
export const CONTEXT = 1024;

/** The tiny model as the planner places it on a node without a GPU, for four requests at once. */
export function tinyPlan({ architecture }: TinyModel, changes: Partial<ModelRequest> = {}): ModelPlan {
  const model = modelOf("llama-3.1-8b-instruct", {
    name: "tiny",
    servedName: SERVED,
    architecture,
    source: { kind: "huggingface", repository: REPOSITORY, revision: "main" },
    contextTokens: CONTEXT,
    concurrency: 4,
    ...changes,
  });
  const { models, problems } = planDeployment(environmentOf([poolOf("m7i.2xlarge", 1)], [model]));
  const [plan] = models;
  if (plan === undefined) {
    throw new Error(JSON.stringify(problems));
  }
  return plan;
}

/** A real model store that the rendered sync Job has filled with the tiny model, and with its adapter under each name. */
export async function startStand(model: ModelPlan, tiny: TinyModel): Promise<Stand> {
  const adapters = (model.adapters?.list ?? []).flatMap(({ source }) =>
    source.kind === "huggingface" ? [[source.repository, tiny.adapter] as const] : [],
  );
  const repositories = { [REPOSITORY]: tiny.files, ...Object.fromEntries(adapters) };
  const stand = await Stand.start([model], repositories, TOKEN);
  const jobs = [stand.sync(model.name), ...(adapters.length > 0 ? [stand.syncAdapters(model.name)] : [])];
  for (const job of jobs) {
    await succeed(stand, job);
  }
  return stand;
}

/** Where the rendered init container has copied the weights to, with the model's own keys. */
export async function weightsFolder(stand: Stand, { name }: ModelPlan): Promise<string> {
  return (await succeed(stand, await stand.fetch(name))).here("/models/current");
}

/** The same of the adapters, each in a folder of its name. */
export async function adapterFolder(stand: Stand, { name }: ModelPlan): Promise<string> {
  return (await succeed(stand, await stand.fetchAdapters(name))).here("/adapters");
}

async function succeed(stand: Stand, container: ContainerFolder): Promise<ContainerFolder> {
  const { status, output } = await stand.run(container);
  if (status !== 0) {
    throw new Error(`ended with status ${status}:\n${output}`);
  }
  return container;
}
