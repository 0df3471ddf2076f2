import { ModelControl, type ModelControlArgs } from "../../../components/model-control/model-control";
import { modelControlPods } from "../../../components/model-control/names";
import { Serving } from "../../../components/serving/serving";
import type { ModelPlan } from "../../../planner/types";
import { type Deployment, deploy } from "../../harness/deploy";
import { modelPlan, ollamaPlan } from "../../harness/plans";
import { modelStore } from "../storage/fixture";

export interface DeployedControl {
  readonly deployment: Deployment;
  readonly serving: Serving;
  readonly control: ModelControl;
}

export const MODELS: readonly ModelPlan[] = [ollamaPlan(), modelPlan()];

/** The API in front of one model on Ollama and one on vLLM, with defaults that a test overrides where it looks. */
export async function deployControl(
  overrides: Partial<Omit<ModelControlArgs, "engines" | "endpoints">> = {},
  models: readonly ModelPlan[] = MODELS,
): Promise<DeployedControl> {
  const made: Omit<DeployedControl, "deployment">[] = [];
  const deployment = await deploy(() => {
    const cluster = { storageClass: "encrypted" };
    const serving = new Serving("serving", {
      models,
      store: models.some(({ source }) => source.kind !== "ollama") ? modelStore({ models }) : undefined,
      cluster,
      control: { client: modelControlPods, spareStorageGiB: 20 },
      stage: "production",
    });
    const control = new ModelControl("control", {
      image: "registry.example/model-control:1.2.3",
      endpoints: serving.endpoints,
      allowedRegistries: ["registry.ollama.ai"],
      warmModels: ["llama3.2:1b"],
      engines: Object.values(serving.servers),
      cluster,
      stage: "production",
      ...overrides,
    });
    made.push({ serving, control });
  });
  const [first] = made;
  if (first === undefined) {
    throw new Error("the program made no model control");
  }
  return { deployment, ...first };
}
