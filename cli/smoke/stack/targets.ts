import type { Tenant } from "../../../planner/tenants";
import type { ModelPlan } from "../../../planner/types";
import type { ModelStatus, State } from "../../status/result";
import type { PlatformOutputs } from "./outputs";

/** A model to check, and its caller. */
export interface Target {
  readonly model: string;
  /** Without `/v1`. */
  readonly url: string;
  readonly modelId: string;
  /** Consumer with access; undefined: none has a key. */
  readonly consumer?: string;
}

/** A skipped model with the reason. */
export interface Unasked {
  readonly model: string;
  readonly why: string;
}

export interface Targets {
  readonly asked: readonly Target[];
  readonly unasked: readonly Unasked[];
}

/** Skipped states without a problem. */
const QUIET: Readonly<Partial<Record<State, string>>> = {
  stopped: "stopped",
  asleep: "scaled to zero: a request starts it",
};

/** Running models with chat over the OpenAI API. */
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
