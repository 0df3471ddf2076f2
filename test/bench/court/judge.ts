/** What `npm run model` answers to each case, beside how it ended. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { answerOn } from "../../../cli/model";
import type { ModelArguments } from "../../../cli/model/arguments";
import { machineFor } from "../../../cli/model/machine";
import { type NamedModel, readModel } from "../../../cli/model/read-model";
import type { ModelReport } from "../../../cli/model/report";
import { engineOf } from "../../../engines";
import { messageOf } from "../../../names/message-of";
import type { KvCacheDtype } from "../../../planner/memory/kv-cache";
import type { MemoryAnswer, MemoryVerdict } from "../../../planner/memory/verdict";
import type { ArgumentValue } from "../../../planner/types";
import { cardOf } from "../memory/cards";
import type { ModelIndex } from "../memory/models";
import type { Case } from "./cases";

export interface Judged {
  readonly case: Case;
  readonly answer: MemoryAnswer;
  readonly decides: string;
  readonly refusals: readonly string[];
  /** Of what decides. */
  readonly needGiB: number;
  readonly limitGiB: number;
  readonly intervalGiB: MemoryVerdict["intervalGiB"];
  readonly poolGiB: number;
}

export interface NotScored {
  readonly case: Case;
  readonly reason: string;
}

/** @param folder that paths of configurations start from. */
export async function judgeAll(
  cases: readonly Case[],
  models: ModelIndex,
  folder: string,
): Promise<{ readonly judged: readonly Judged[]; readonly notScored: readonly NotScored[] }> {
  const judged: Judged[] = [];
  const notScored: NotScored[] = [];
  for (const one of cases) {
    try {
      judged.push(answerTo(one, await reportFor(one, models, folder)));
    } catch (error) {
      notScored.push({
        case: one,
        reason: messageOf(error).split("\n")[0] ?? "",
      });
    }
  }
  return { judged, notScored };
}

function answerTo(one: Case, { verdict, refusals, estimate }: ModelReport): Judged {
  return {
    case: one,
    answer: verdict.answer,
    decides: verdict.decides,
    refusals,
    ...verdict.compared,
    intervalGiB: verdict.intervalGiB,
    poolGiB: estimate.kvPoolGiB,
  };
}

/** @throws Error for a case that cannot be asked. */
async function reportFor(one: Case, models: ModelIndex, folder: string): Promise<ModelReport> {
  const { tensorParallel, pipelineParallel, gpus, utilization, version } = one;
  if (gpus !== tensorParallel * pipelineParallel) {
    throw new Error(`${gpus} GPUs are more than one replica of ${tensorParallel} × ${pipelineParallel}`);
  }
  const model = await modelOf(one, models, folder);
  const { formats } = engineOf("vllm");
  const isMadeAtLoad = model.architecture.quantization.rules.length === 0 && formats.takes(one.quantization);
  const args: ModelArguments = {
    model: one.model,
    engine: { name: "vllm", version },
    machine: machineOf(one),
    tensorParallel,
    pipelineParallel,
    utilization,
    contextTokens: one.contextTokens ?? model.architecture.maxContextTokens,
    concurrency: 1,
    kvCacheDtype: cacheDtype(one),
    ...(isMadeAtLoad && { quantization: one.quantization }),
    flags: flagsOf(one),
    json: true,
  };
  return answerOn(args, model).report;
}

async function modelOf(one: Case, models: ModelIndex, folder: string): Promise<NamedModel> {
  const { model, config, quantization, contextTokens = 0 } = one;
  if (config === undefined) {
    const { architecture } = models.resolve(model, quantization);
    // Of a model of the same dimensions, whose own limit may be lower.
    const maxContextTokens = Math.max(architecture.maxContextTokens, contextTokens);
    return { architecture: { ...architecture, maxContextTokens } };
  }
  const path = resolve(folder, config);
  if (!existsSync(path)) {
    throw new Error(`there is no ${path}`);
  }
  return readModel(path, {});
}

function machineOf({ card, gpuMemoryGiB }: Case): ModelArguments["machine"] {
  const known = cardOf(card, 0);
  const machine = machineFor(known ? { gpu: known.model } : { gpuMemoryGiB });
  if (known === undefined && gpuMemoryGiB === undefined) {
    throw new Error(`the catalogue has no card "${card}", and its memory is not told`);
  }
  if ("problem" in machine) {
    throw new Error(machine.problem);
  }
  return machine;
}

function cacheDtype({ kvDtype }: Case): KvCacheDtype {
  return kvDtype.startsWith("fp8") ? "fp8" : "auto";
}

/** `--flag value --switch --flag=value`, by names without dashes. */
function flagsOf({ flags, maxNumSeqs, dtype }: Case): Readonly<Record<string, ArgumentValue>> {
  const found: Record<string, ArgumentValue> = {};
  for (const part of flags.split(/(?:^|\s)--(?=[a-z])/).map((text) => text.trim())) {
    const [, name, value = ""] = /^([a-z][\w-]*)[=\s]*(.*)$/s.exec(part) ?? [];
    if (name !== undefined) {
      found[name.replaceAll("_", "-")] = value === "" ? true : value;
    }
  }
  return {
    ...found,
    ...(maxNumSeqs !== undefined && { "max-num-seqs": maxNumSeqs }),
    ...(dtype !== "" && { dtype }),
  };
}
