import type { Tenant } from "../../../planner/tenants";
import type { ModelPlan } from "../../../planner/types";
import type { ModelStatus, State } from "../../status/result";
import type { PlatformOutputs } from "./outputs";

/** A model to check, and as whom. */
export interface Target {
  readonly model: string;
  /** Address of its own, without `/v1`. */
  readonly url: string;
  readonly modelId: string;
  /** Consumer whose key opens it; undefined: none has one. */
  readonly consumer?: string;
}

/** A model that is not asked, and why. */
export interface Unasked {
  readonly model: string;
  readonly why: string;
}

export interface Targets {
  readonly asked: readonly Target[];
  readonly unasked: readonly Unasked[];
}

/** States in which a model is not asked, though nothing is wrong. */
const QUIET: Readonly<Partial<Record<State, string>>> = {
  stopped: "stopped",
  asleep: "scaled to zero: a request starts it",
};

/** Which models of a platform are checked: those that chat over the OpenAI API and run. */
export function targetsOf(
  plan: { readonly models: readonly Pick<ModelPlan, "name" | "task">[]; readonly tenants: readonly Tenant[] },
  { models, consumerSecrets }: Pick<PlatformOutputs, "models" | "consumerSecrets">,
  states: readonly Pick<ModelStatus, "name" | "state">[],
): Targets {
  const asked: Target[] = [];
  const unasked: Unasked[] = [];
  for (const { name, task } of plan.models) {
    const usage = models[name];
    const quiet = QUIET[states.find((each) => each.name === name)?.state ?? "ready"];
    const url = usage?.baseUrl.match(/^(.*)\/v1$/)?.[1];
    if (quiet !== undefined) {
      unasked.push({ model: name, why: quiet });
    } else if (usage === undefined) {
      unasked.push({ model: name, why: "the stack has no address of it" });
    } else if (task !== "chat" || url === undefined) {
      unasked.push({ model: name, why: `ready; its API (${task}) is not one that smoke calls` });
    } else {
      const consumer = plan.tenants.find((tenant) => mayCall(tenant, name) && consumerSecrets[tenant.name])?.name;
      asked.push({ model: name, url, modelId: usage.modelId, ...(consumer !== undefined && { consumer }) });
    }
  }
  return { asked, unasked };
}

function mayCall({ models, names }: Tenant, model: string): boolean {
  return (models === undefined || models.includes(model)) && names?.[model] === undefined;
}
