/** Schema of an environment: core and add-ons; `Pulumi.<env>.yaml` has nothing else. */
import type { z } from "zod";
import { addonSections } from "../addons/sections";
import { type ByPlace, coreSchema, modelsByPlace, type Named } from "./core/schema";
import { withHostname } from "./core/wildcard-dns";
import { withDerived } from "./derived-settings";
import { type SecretKey, secretFields } from "./secrets";

export const environmentSchema = coreSchema.extend(addonSections);

/** With secrets. */
export const configSchema = environmentSchema.extend(secretFields);

/** Checked, with defaults, without secrets. */
export type EnvironmentConfig = Named<ByPlace<z.output<typeof environmentSchema>>>;
export type { ClusterConfig, ExternalModelConfig, GatewayConfig, ModelConfig, PoolConfig } from "./core/schema";
export type { SecretKey };

/** @throws ZodError for unchecked values. */
export function toEnvironment(values: unknown): EnvironmentConfig {
  const { models, gateway, ...sections } = environmentSchema.parse(values);
  const byPlace = modelsByPlace(models, sections.nodes);
  return { ...sections, gateway: withHostname(gateway), ...byPlace, models: withDerived(byPlace.models, values) };
}
