/** The schema of an environment: its core and its add-ons; nothing else may stand in `Pulumi.<env>.yaml`. */
import type { z } from "zod";
import { addonSections } from "../addons/sections";
import { type ByPlace, coreSchema, modelsByPlace, type Named } from "./core/schema";
import { withHostname } from "./core/wildcard-dns";
import { withDerived } from "./derived-settings";
import { type SecretKey, secretFields } from "./secrets";

export const environmentSchema = coreSchema.extend(addonSections);

/** Everything that may stand under the namespace: the environment and its secrets. */
export const configSchema = environmentSchema.extend(secretFields);

/** A checked environment, defaults filled in; secrets are apart. */
export type EnvironmentConfig = Named<ByPlace<z.output<typeof environmentSchema>>>;
export type { ClusterConfig, ExternalModelConfig, GatewayConfig, ModelConfig, PoolConfig } from "./core/schema";
export type { SecretKey };

/** @throws ZodError for values that were not checked before. */
export function toEnvironment(values: unknown): EnvironmentConfig {
  const { models, gateway, ...sections } = environmentSchema.parse(values);
  const byPlace = modelsByPlace(models, sections.nodes);
  return { ...sections, gateway: withHostname(gateway), ...byPlace, models: withDerived(byPlace.models, values) };
}
