/** The schema of an environment: the only place that says what `Pulumi.<env>.yaml` may hold. */
import { z } from "zod";
import type { ClusterKind } from "../../planner/types";
import { beta9Section } from "./sections/beta9";
import { clusterSection } from "./sections/cluster";
import { gatewaySection } from "./sections/gateway";
import { imagesSection } from "./sections/images";
import { modelControlSection } from "./sections/model-control";
import { type modelSchema, modelsSection } from "./sections/models";
import {
  budgetSection,
  commonLabelsField,
  observabilitySection,
  stageField,
  storageSection,
} from "./sections/operations";
import { type poolSchema, poolsSection } from "./sections/pools";
import { type SecretKey, secretFields } from "./sections/secrets";

/** Namespace of our keys in `Pulumi.<env>.yaml`: the name of the Pulumi project. */
export const NAMESPACE = "inference-stacks";

export const environmentSchema = z.strictObject({
  stage: stageField,
  cluster: clusterSection,
  images: imagesSection,
  pools: poolsSection,
  models: modelsSection,
  storage: storageSection,
  gateway: gatewaySection,
  modelControl: modelControlSection,
  observability: observabilitySection,
  budget: budgetSection,
  beta9: beta9Section,
  commonLabels: commonLabelsField,
});

/** Everything that may stand under the namespace: the environment and its secrets. */
export const configSchema = environmentSchema.extend(secretFields);

/** A checked environment, defaults filled in; secrets are apart. */
export type EnvironmentConfig = z.output<typeof environmentSchema>;
/** The section of a cluster, of any kind or of the one that is named. */
export type ClusterConfig<Kind extends ClusterKind = ClusterKind> = Extract<
  EnvironmentConfig["cluster"],
  { readonly kind: Kind }
>;
export type PoolConfig = z.output<typeof poolSchema>;
export type ModelConfig = z.output<typeof modelSchema>;
export type Beta9Config = NonNullable<EnvironmentConfig["beta9"]>;
export type GatewayConfig = EnvironmentConfig["gateway"];
export type { SecretKey };
