/** Engine-specific configuration of a model, `models.<name>.<engine>`. */
import { z } from "zod";
import type { ArgumentValue, EngineOwnSettings, ModelTask, ServedModel } from "./served-model";

/** Block settings that the plan understands. Equal names mean equal settings. */
export interface RequestedSettings
  extends Pick<
    ServedModel,
    | "loading"
    | "kvCacheDtype"
    | "tensorParallel"
    | "pipelineParallel"
    | "gpuMemoryUtilization"
    | "maxNumSeqs"
    | "declaredMemoryGiB"
    | "maxLoras"
    | "maxLoraRank"
  > {
  /**
   * GPU memory grows with requests, even if other models of the engine preallocate.
   * @default as the engine
   */
  readonly growsGpuMemory?: true;
  /** Chat template file, relative to the environment file. */
  readonly chatTemplate?: string;
  /** Model whose server it joins. @default its own server */
  readonly serverOf?: string;
  /** Replicas set by the block, overriding `replicas`. @default `replicas` */
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
  /** Settings only for the engine's component, unused by the planner. @default none */
  readonly engineSettings?: EngineOwnSettings;
}

export interface SettingFault {
  readonly key: string;
  readonly allowed: string;
  readonly fix: string;
}

/** Effect of a block on its model. */
export interface SettingsOutcome {
  /** Equivalent flags; the user's `args` take precedence. */
  readonly args: Readonly<Record<string, ArgumentValue>>;
  /** Additional settings only for the engine's component. @default none */
  readonly engineSettings?: EngineOwnSettings;
  /** Remarks for readers of the plan. */
  readonly notes: readonly string[];
  /** Unsupported requests for this model: the plan fails. */
  readonly problems: readonly { readonly rule: string; readonly message: string }[];
  /** Advice that does not fail the plan. @default none */
  readonly advice?: SettingsOutcome["problems"];
}

/** As read by the schema; `undefined` is an empty block. */
export interface EngineSettings {
  /** Strict; every key has a description, an example, and a unit if numeric. */
  readonly schema: z.ZodObject;
  requested(block: unknown): RequestedSettings;
  faults(block: unknown, task: ModelTask): readonly SettingFault[];
  /** @param model with the block's requests and the user's flags. */
  outcome(block: unknown, model: ServedModel): SettingsOutcome;
}

/** Requests of plans without a block. */
const UNASKED: RequestedSettings = { loading: "copy", kvCacheDtype: "auto" };

/** Answers of one engine, typed by its block's schema. */
interface Answers<Block> {
  requested(block: Block): Partial<RequestedSettings>;
  faults?(block: Block, task: ModelTask): readonly SettingFault[];
  outcome?(block: Block, model: ServedModel): SettingsOutcome;
}

export function engineSettings<Schema extends z.ZodObject>(
  schema: Schema,
  answers: Answers<z.output<Schema>>,
): EngineSettings {
  const read = (block: unknown) => schema.parse(block ?? {});
  return {
    schema,
    requested: (block) => ({ ...UNASKED, ...answers.requested(read(block)) }),
    faults: (block, task) => answers.faults?.(read(block), task) ?? [],
    outcome: (block, model) => answers.outcome?.(read(block), model) ?? { args: {}, notes: [], problems: [] },
  };
}

/** For engines without own settings: no block. */
export const NO_SETTINGS = engineSettings(z.strictObject({}), { requested: () => ({}) });
