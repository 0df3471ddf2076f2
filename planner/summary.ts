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

/** A plan as others read it: `plan --json`, the plan's ConfigMap, policies. Shapes and templates are named, not spelled out. */
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
    /** Name of the server group that its replicas are nodes of. */
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

/** What users add to pods, by name: its texts are theirs. */
interface PodNames {
  readonly volumes: readonly string[];
  readonly initContainers: readonly string[];
  readonly sidecars: readonly string[];
}

function podNames({ volumes = [], initContainers = [], sidecars = [] }: UserPod): PodNames {
  const names = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name);
  return { volumes: names(volumes), initContainers: names(initContainers), sidecars: names(sidecars) };
}

/** A server outside with the file that its authorities are in, not with their certificates. */
function withCaFile<Server extends { readonly authorities?: CertificateFile }>({ authorities, ...server }: Server) {
  return { ...server, ...(authorities && { caFile: authorities.file }) };
}
