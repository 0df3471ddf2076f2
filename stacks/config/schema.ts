/** The schema of an environment: its core and its add-ons; nothing else may stand in `Pulumi.<env>.yaml`. */
import type { z } from "zod";
import { addonSections } from "../addons/sections";
import { coreSchema } from "./core/schema";
import { type SecretKey, secretFields } from "./secrets";

export const environmentSchema = coreSchema.extend(addonSections);

/** Everything that may stand under the namespace: the environment and its secrets. */
export const configSchema = environmentSchema.extend(secretFields);

/** A checked environment, defaults filled in; secrets are apart. */
export type EnvironmentConfig = z.output<typeof environmentSchema>;
export type { ClusterConfig, GatewayConfig, ModelConfig, PoolConfig } from "./core/schema";
export type { SecretKey };
