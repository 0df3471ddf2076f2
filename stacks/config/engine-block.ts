/** What a model's own block of its engine says: `models.<name>.<engine>` (engines/settings.ts). */
import { modelEngineVersion, settingsOf } from "../../engines";
import type { ModelTask, ServedModel } from "../../engines/served-model";
import type { RequestedSettings, SettingFault, SettingsOutcome } from "../../engines/settings";
import type { ModelConfig } from "./schema";

/** As the engine's schema has read it; undefined where the engine has no block. */
export function blockOf(config: ModelConfig): Readonly<Record<string, unknown>> | undefined {
  return (config as Readonly<Record<string, unknown>>)[config.engine] as Readonly<Record<string, unknown>> | undefined;
}

export function requestedSettings(config: ModelConfig): RequestedSettings {
  return settingsOf(config.engine).requested(blockOf(config));
}

/** The release of its engine that a model runs on: its own, or that of the image which its block asks for. */
export function releaseOf(config: ModelConfig): string {
  return config.engineVersion ?? modelEngineVersion({ engine: config.engine, ...requestedSettings(config) });
}

export function settingFaults(config: ModelConfig, task: ModelTask): readonly SettingFault[] {
  return settingsOf(config.engine).faults(blockOf(config), task);
}

/** @param model with what the block asks for, and the flags that the user gives. */
export function settingsOutcome(config: ModelConfig, model: ServedModel): SettingsOutcome {
  return settingsOf(config.engine).outcome(blockOf(config), model);
}
