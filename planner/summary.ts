import type { CpuArchitecture } from "../catalog/shapes";
import type { RegistrarPlan, ServerGroupPlan } from "./inference-nodes";
import type {
  CertificateFile,
  CostPlan,
  DeploymentPlan,
  ExternalModelPlan,
  ModelPlan,
  PoolPlan,
  UserPod,
} from "./types";

/** The plan's public form: `plan --json`, its ConfigMap, policies. Shapes and templates by name. */
export interface PlanSummary {
  readonly environment: string;
  readonly stage: DeploymentPlan["stage"];
  readonly pools: readonly (Omit<PoolPlan, "shape"> & {
    readonly shape: string;
    readonly cpuArch: CpuArchitecture;
  })[];
  readonly models: readonly (Omit<ModelPlan, "chatTemplate" | "node" | "pod"> & {
    readonly pod?: PodNames;
    readonly chatTemplate?: string;
    /** Its server group. */
    readonly group?: string;
  })[];
  readonly externalModels: readonly (Omit<ExternalModelPlan, "authorities"> & { readonly caFile?: string })[];
  readonly groups: readonly (Omit<ServerGroupPlan, "registrar"> & {
    readonly registrar?: Omit<RegistrarPlan, "authorities"> & { readonly caFile?: string };
  })[];
  readonly mesh?: DeploymentPlan["mesh"];
  readonly tenants: DeploymentPlan["tenants"];
  readonly storage: DeploymentPlan["storage"];
  readonly cost: CostPlan;
}

export function summarize(plan: DeploymentPlan): PlanSummary {
  const { environment, stage, models, mesh, tenants, storage, cost } = plan;
  return {
    environment,
    stage,
    pools: plan.pools.map((pool) => ({ ...pool, shape: pool.shape.name, cpuArch: pool.shape.cpu.arch })),
    models: models.map(({ chatTemplate, node, pod, ...model }) => ({
      ...model,
      ...(node && { group: node.group }),
      ...(pod && { pod: podNames(pod) }),
      ...(chatTemplate && { chatTemplate: chatTemplate.file }),
    })),
    externalModels: plan.externalModels.map(withCaFile),
    groups: plan.groups.map(({ registrar, ...group }) => ({
      ...group,
      ...(registrar && { registrar: withCaFile(registrar) }),
    })),
    ...(mesh && { mesh }),
    tenants,
    storage,
    cost,
  };
}

/** User additions to pods by name, without their texts. */
interface PodNames {
  readonly volumes: readonly string[];
  readonly initContainers: readonly string[];
  readonly sidecars: readonly string[];
}

function podNames({ volumes = [], initContainers = [], sidecars = [] }: UserPod): PodNames {
  const names = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name);
  return { volumes: names(volumes), initContainers: names(initContainers), sidecars: names(sidecars) };
}

/** An outside server with its CA file's name, without certificates. */
function withCaFile<Server extends { readonly authorities?: CertificateFile }>({ authorities, ...server }: Server) {
  return { ...server, ...(authorities && { caFile: authorities.file }) };
}
