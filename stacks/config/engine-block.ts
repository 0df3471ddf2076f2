/** A model's engine block: `models.<name>.<engine>` (engines/settings.ts). */
import { modelEngineVersion, settingsOf } from "../../engines";
import type { ModelTask, ServedModel } from "../../engines/served-model";
import type { RequestedSettings, SettingFault, SettingsOutcome } from "../../engines/settings";
import type { ModelConfig } from "./schema";

/** Parsed by the engine's schema; undefined without a block. */
export function blockOf(config: ModelConfig): Readonly<Record<string, unknown>> | undefined {
  return (config as Readonly<Record<string, unknown>>)[config.engine] as Readonly<Record<string, unknown>> | undefined;
}

export function requestedSettings(config: ModelConfig): RequestedSettings {
  return settingsOf(config.engine).requested(blockOf(config));
}

/** The model's own engine release, or that of the image in its block. */
export function releaseOf(config: ModelConfig): string {
  return config.engineVersion ?? modelEngineVersion({ engine: config.engine, ...requestedSettings(config) });
}

export function settingFaults(config: ModelConfig, task: ModelTask): readonly SettingFault[] {
  return settingsOf(config.engine).faults(blockOf(config), task);
}

/** @param model with the block's requests, and the user's flags. */
export function settingsOutcome(config: ModelConfig, model: ServedModel): SettingsOutcome {
  return settingsOf(config.engine).outcome(blockOf(config), model);
}
