/** The configuration of an environment: schema, checks, and the two ways to read it. */
export { readChatTemplates } from "./chat-template";
export { type ParsedEnvironmentFile, parseEnvironmentFile } from "./environment-file";
export { type EnvironmentSecrets, type LoadedEnvironment, loadEnvironment } from "./load";
export { machineOf, roleOf } from "./machines";
export { buildOf } from "./model-build";
export { localPath, readModelConfigSource } from "./model-config-source";
export { ConfigError, type ConfigProblem, formatProblems, toProblem } from "./problems";
export type {
  ClusterConfig,
  EnvironmentConfig,
  GatewayConfig,
  ModelConfig,
  PoolConfig,
  SecretKey,
} from "./schema";
export { readTextFile } from "./text-file";
