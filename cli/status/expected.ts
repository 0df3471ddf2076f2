/** Expected workloads of an environment. */
import { MODEL_LABEL } from "../../names/labels";
import { modelNamespaceName } from "../../names/namespaces";
import type { EnvironmentRun } from "../../offline/environment";
import type { ScalingPlan } from "../../planner/scaling";
import { recordedObjects } from "../../rehearsal/cluster/recorded-objects";
import { isService, type Workload, workloadsOf } from "../../rehearsal/workloads";

export interface ExpectedModel {
  readonly name: string;
  readonly engine: string;
  /** Of its own or shared server. Empty: hosted elsewhere. */
  readonly workloads: readonly Workload[];
  readonly startupBudget: number;
  /** @default no autoscaling */
  readonly scaling?: Pick<ScalingPlan, "by" | "min" | "max">;
  readonly endpoint: string | null;
  readonly curl: string | null;
}

export interface ExpectedGroup {
  readonly name: string;
  /** Model of its nodes. */
  readonly model: string;
  /** Models with nodes in it: canaries are in their model's group. */
  readonly members: readonly string[];
  /** Registrar of its nodes; null: none. */
  readonly registrar: string | null;
  readonly endpoint: string | null;
  readonly curl: string | null;
}

export interface Expected {
  readonly environment: string;
  readonly address: string;
  /** Null: no chat page. */
  readonly chatPage: string | null;
  /** Argo CD Application of the rendered folder; null: `up` applies everything. */
  readonly application: string | null;
  readonly models: readonly ExpectedModel[];
  readonly groups: readonly ExpectedGroup[];
  /** Platform namespaces other than models'. */
  readonly platform: readonly string[];
}

interface Usage {
  readonly baseUrl?: string;
  readonly curl?: string;
}

interface ChatPage {
  readonly address: string;
}

interface Gitops {
  readonly application: string;
}

export function expectedOf({ plan, recording }: Pick<EnvironmentRun, "plan" | "recording">): Expected {
  const objects = recordedObjects(recording.resources);
  const services = workloadsOf(objects).filter(isService);
  const usages = (output: "models" | "groups") => {
    const all = (recording.outputs[output] ?? {}) as Readonly<Record<string, Usage>>;
    return (name: string) => ({ endpoint: all[name]?.baseUrl ?? null, curl: all[name]?.curl ?? null });
  };
  const usage = usages("models");
  const groupUsage = usages("groups");
  const namespaces = objects.filter(({ kind }) => kind === "Namespace").map(({ metadata }) => metadata);
  const ofModels = plan.models.map(({ name }) => modelNamespaceName(name));
  return {
    environment: plan.environment,
    address: String(recording.outputs.address ?? ""),
    chatPage: (recording.outputs.openWebUi as ChatPage | undefined)?.address ?? null,
    application: (recording.outputs.gitops as Gitops | undefined)?.application ?? null,
    models: [
      ...plan.models.map(({ name, engine, startupBudgetSeconds, serverOf, scaling }) => ({
        name,
        engine,
        workloads: services.filter(({ model }) => model === (serverOf ?? name)),
        startupBudget: startupBudgetSeconds,
        ...(scaling && { scaling }),
        ...usage(name),
      })),
      ...plan.externalModels.map(({ name }) => ({
        name,
        engine: "external",
        workloads: [],
        startupBudget: 0,
        ...usage(name),
      })),
    ],
    groups: plan.groups.map(({ name, model, registrar }) => ({
      name,
      model,
      members: [model, ...plan.models.flatMap((each) => (each.revisionOf?.model === model ? [each.name] : []))],
      registrar: registrar?.url ?? null,
      ...groupUsage(name),
    })),
    platform: namespaces
      .filter(({ labels, name }) => labels?.[MODEL_LABEL] === undefined && !ofModels.includes(name))
      .map(({ name }) => name)
      .sort(),
  };
}
