/** An engine's own block in the configuration of a model, `models.<name>.<engine>`: what no other engine has. */
import { z } from "zod";
import type { ArgumentValue, EngineOwnSettings, ModelTask, ServedModel } from "./served-model";

/** What a block asks of the plan, in the plan's words. The key of a block that fills one of these has its name. */
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
  /** Takes GPU memory as its requests need it, whatever else its engine serves. @default as the engine does */
  readonly growsGpuMemory?: true;
  /** File of a chat template, from the folder of the environment's file. */
  readonly chatTemplate?: string;
  /** Model whose server it joins. @default a server of its own */
  readonly serverOf?: string;
  /** Replicas, where the block says how many there are; `replicas` then says nothing. @default as under `replicas` */
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
  /** What the planner does not count with: only the engine's component reads it. @default nothing */
  readonly engineSettings?: EngineOwnSettings;
}

/** A key of a block that its model cannot have. */
export interface SettingFault {
  readonly key: string;
  readonly allowed: string;
  readonly fix: string;
}

/** What a block makes of its model. */
export interface SettingsOutcome {
  /** Flags that it stands for; what the user says of them under `args` counts. */
  readonly args: Readonly<Record<string, ArgumentValue>>;
  /** What only the engine's component reads, besides what the block asks for. @default nothing */
  readonly engineSettings?: EngineOwnSettings;
  /** What a reader of the plan should know. */
  readonly notes: readonly string[];
  /** Asked for, and not to be had for this model: the plan is refused. */
  readonly problems: readonly { readonly rule: string; readonly message: string }[];
  /** Deserves a look, and forbids nothing. @default nothing does */
  readonly advice?: SettingsOutcome["problems"];
}

/** The block of one engine. Blocks are as the schema reads them; `undefined` is an empty one. */
export interface EngineSettings {
  /** Strict; every key with a description, an example, and a unit where it is a number. */
  readonly schema: z.ZodObject;
  requested(block: unknown): RequestedSettings;
  faults(block: unknown, task: ModelTask): readonly SettingFault[];
  /** @param model with what the block asks for, and the flags that the user gives. */
  outcome(block: unknown, model: ServedModel): SettingsOutcome;
}

/** What plans without a block ask for. */
const UNASKED: RequestedSettings = { loading: "copy", kvCacheDtype: "auto" };

/** The answers of one engine, which see their own block, in the type of its schema. */
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

/** Of an engine that has nothing of its own to set: there is no block. */
export const NO_SETTINGS = engineSettings(z.strictObject({}), { requested: () => ({}) });
