/** The part of an environment that every platform has. What else may stand there, each add-on brings along. */
import { z } from "zod";
import type { ClusterKind } from "../../../planner/types";
import { clusterSection } from "./sections/cluster";
import { gatewaySection } from "./sections/gateway";
import { imagesSection } from "./sections/images";
import { type modelSchema, modelsSection } from "./sections/models";
import { budgetSection, commonLabelsField, stageField, storageSection } from "./sections/operations";
import { type poolSchema, poolsSection } from "./sections/pools";

/** Namespace of our keys in `Pulumi.<env>.yaml`: the name of the Pulumi project. */
export const NAMESPACE = "inference-stacks";

export const coreSchema = z.strictObject({
  stage: stageField,
  cluster: clusterSection,
  images: imagesSection,
  pools: poolsSection,
  models: modelsSection,
  storage: storageSection,
  gateway: gatewaySection,
  budget: budgetSection,
  commonLabels: commonLabelsField,
});

export type CoreConfig = z.output<typeof coreSchema>;
/** The section of a cluster, of any kind or of the one that is named. */
export type ClusterConfig<Kind extends ClusterKind = ClusterKind> = Extract<
  CoreConfig["cluster"],
  { readonly kind: Kind }
>;
export type GatewayConfig = CoreConfig["gateway"];
export type PoolConfig = z.output<typeof poolSchema>;
export type ModelConfig = z.output<typeof modelSchema>;
