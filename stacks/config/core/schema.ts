/** Schema parts of every platform. Add-ons bring the rest. */
import { z } from "zod";
import type { ClusterKind } from "../../../planner/types";
import { type ModelConfig, type WrittenModel, withCanaries } from "./canary";
import { withHubModels } from "./hub-model";
import { withNodeReplicas } from "./node-replicas";
import { clusterSection } from "./sections/cluster";
import type { ExternalModelConfig } from "./sections/external-models";
import { gatewaySection } from "./sections/gateway";
import { imagesSection } from "./sections/images";
import { meshSection } from "./sections/mesh";
import { modelsSection } from "./sections/models";
import { type NodesConfig, nodesSection } from "./sections/nodes";
import {
  apiPricesSection,
  budgetSection,
  chartsField,
  commonLabelsField,
  scopeField,
  stageField,
  storageSection,
} from "./sections/operations";
import { peopleSection } from "./sections/people";
import { type poolSchema, poolsSection } from "./sections/pools";
import { transformSection } from "./sections/transform";
import type { NamedGateway } from "./wildcard-dns";

/** Namespace of our keys in `Pulumi.<env>.yaml`: the Pulumi project's name. */
export const NAMESPACE = "inference-stacks";

export const coreSchema = z.strictObject({
  stage: stageField,
  scope: scopeField,
  cluster: clusterSection,
  images: imagesSection,
  charts: chartsField,
  pools: poolsSection,
  models: modelsSection,
  nodes: nodesSection,
  storage: storageSection,
  gateway: gatewaySection,
  budget: budgetSection,
  apiPrices: apiPricesSection,
  mesh: meshSection,
  people: peopleSection,
  commonLabels: commonLabelsField,
  transform: transformSection,
});

export type { ModelConfig } from "./canary";
export type { ExternalModelConfig } from "./sections/external-models";

/** Models by place. */
export interface ModelsByPlace {
  /** In this cluster, with canaries. */
  readonly models: Readonly<Record<string, ModelConfig>>;
  /** Behind external URLs. */
  readonly externalModels: Readonly<Record<string, ExternalModelConfig>>;
}

/** Only models in this cluster are planned. */
export type ByPlace<Sections extends { readonly models: object }> = Omit<Sections, "models"> & ModelsByPlace;

/** With the gateway's name. */
export type Named<Sections> = Omit<Sections, "gateway"> & { readonly gateway: NamedGateway };

export type CoreConfig = Named<ByPlace<z.output<typeof coreSchema>>>;
/** Of any kind, or the named one. */
export type ClusterConfig<Kind extends ClusterKind = ClusterKind> = Extract<
  CoreConfig["cluster"],
  { readonly kind: Kind }
>;
export type GatewayConfig = CoreConfig["gateway"];
export type PoolConfig = z.output<typeof poolSchema>;

/** @param nodes server groups, which may set a model's replicas. */
export function modelsByPlace(section: z.output<typeof modelsSection>, nodes: NodesConfig): ModelsByPlace {
  const models: Record<string, WrittenModel> = {};
  const externalModels: Record<string, ExternalModelConfig> = {};
  for (const [name, model] of Object.entries(section)) {
    if (model.engine === "external") {
      externalModels[name] = model;
    } else {
      models[name] = model;
    }
  }
  return { models: withNodeReplicas(withCanaries(withHubModels(models)), nodes), externalModels };
}
