/**
 * Configuration of an environment: schema, checks, parsing. `load.ts` reads it from Pulumi and is
 * imported separately, so that other readers do not load the SDK.
 */
export {
  ISSUER_AUTHORITIES,
  readAuthorities,
  receiverAuthorityFiles,
  registrarAuthorities,
  sourceAuthorityFiles,
} from "./authorities";
export { readChatTemplates } from "./chat-template";
export { pathInFile, textInFile } from "./core/in-file";
export { machineOf, roleOf } from "./core/machines";
export { ConfigError, type ConfigProblem, formatProblems, toProblem } from "./core/problems";
export { bucketBackend, sourceAuthorities, storeBucket, storeElsewhere } from "./core/store-backend";
export { releaseOf, requestedSettings, settingsOutcome } from "./engine-block";
export { type ParsedEnvironmentFile, parseEnvironmentFile } from "./environment-file";
export type { ApiKeys, EnvironmentSecrets, LoadedEnvironment } from "./load";
export { buildOf } from "./model-build";
export { localPath, readModelConfigSource } from "./model-config-source";
export type {
  ClusterConfig,
  EnvironmentConfig,
  ExternalModelConfig,
  GatewayConfig,
  ModelConfig,
  PoolConfig,
  SecretKey,
} from "./schema";
export { storeFolder } from "./store-folder";
export { readTextFile } from "./text-file";
