/** Subject of a measurement: from an environment's plan, else from command line and server. */
import { findGpus } from "../../catalog/find-gpu";
import { findModel } from "../../catalog/models";
import { gpuModels } from "../../catalog/shapes";
import { engineNames, engineOf } from "../../engines";
import type { EnvironmentRun } from "../../offline/environment";
import { measuredCard, measuredModel } from "../../planner/speed/measured-names";
import type { MeasuredSubject } from "../../planner/speed/measurement";
import type { ModelPlan } from "../../planner/types";
import { machineOf } from "../../stacks/config/core/machines";
import { suggest } from "../../stacks/config/core/problems";
import type { StatedSubject } from "./arguments";
import { BadMeasurement } from "./failure";
import type { Server } from "./server";

export interface PlannedSubject {
  readonly subject: MeasuredSubject;
  readonly servedName: string;
  readonly concurrency: number;
}

/** @throws BadMeasurement for a missing or unplaced model. */
export function plannedSubject({ plan, environment }: EnvironmentRun, named: string | undefined): PlannedSubject {
  const names = plan.models.map(({ name }) => name);
  const [only, ...others] = plan.models;
  const model = named === undefined && others.length === 0 ? only : plan.models.find(({ name }) => name === named);
  if (model === undefined) {
    const what =
      named === undefined
        ? `environment ${plan.environment} places ${names.length} models`
        : `"${named}" is no model that ${plan.environment} places`;
    throw new BadMeasurement(what, `--model: ${suggest(named ?? "", names, `one of ${names.join(", ") || "none"}`)}`);
  }
  const pool = environment.pools[model.pool];
  if (pool === undefined) {
    throw new Error(`the plan has no pool ${model.pool}`);
  }
  return {
    subject: subjectOf(model, measuredCard(machineOf(pool))),
    servedName: model.servedName,
    concurrency: model.concurrency,
  };
}

function subjectOf(model: ModelPlan, card: string): MeasuredSubject {
  const { engine, engineVersion, source, quantization, kvCacheDtype, tensorParallel, pipelineParallel } = model;
  return {
    card,
    engine,
    engineVersion,
    model: measuredModel(source),
    ...(quantization !== undefined && { quantization }),
    ...(kvCacheDtype !== "auto" && { kvCacheDtype }),
    tensorParallel,
    pipelineParallel,
  };
}

/**
 * All facts, the command line first.
 *
 * @throws BadMeasurement with everything missing.
 */
export function wholeSubject(
  stated: StatedSubject,
  server: Pick<Server, "engine" | "version">,
  planned?: PlannedSubject,
): { readonly subject: MeasuredSubject; readonly notes: readonly string[] } {
  const plan = planned?.subject;
  const engine = stated.engine ?? plan?.engine ?? server.engine;
  // The plan has the intended version, the server the running one.
  const ofServer = server.engine === engine ? server.version : undefined;
  const engineVersion = stated.engineVersion ?? ofServer ?? plan?.engineVersion;
  const card = stated.card ?? plan?.card;
  const model = stated.weights === undefined ? plan?.model : weightsOf(stated.weights, engine);
  const missing = [
    ...(card === undefined ? ["--card"] : []),
    ...(engine === undefined ? ["--engine"] : []),
    ...(engineVersion === undefined ? ["--engine-version"] : []),
    ...(model === undefined ? ["--weights"] : []),
  ];
  if (card === undefined || engine === undefined || engineVersion === undefined || model === undefined) {
    throw new BadMeasurement(
      `what is measured is not stated: ${missing.join(", ")} missing`,
      "name the environment whose model it is, or give these options: plans find the file by them",
    );
  }
  const quantization = stated.quantization ?? plan?.quantization;
  const notes = [
    ...(stated.card === undefined || findGpus(card).length > 0 ? [] : [unknownCard(card)]),
    ...(planned !== undefined && server.engine !== undefined && server.engine !== engine
      ? [`the environment serves this model with ${engine}, and here ${server.engine} answers`]
      : []),
    ...(plan !== undefined && engineVersion !== plan.engineVersion
      ? [
          `${engine} ${engineVersion} was measured; the environment plans ${plan.engineVersion}, so its plan will not count with this`,
        ]
      : []),
  ];
  return {
    subject: {
      card,
      engine,
      engineVersion,
      model,
      ...(quantization !== undefined && { quantization }),
      ...(plan?.kvCacheDtype !== undefined && { kvCacheDtype: plan.kvCacheDtype }),
      tensorParallel: stated.tensorParallel ?? plan?.tensorParallel ?? 1,
      pipelineParallel: stated.pipelineParallel ?? plan?.pipelineParallel ?? 1,
    },
    notes,
  };
}

/** Plans find measurements by card: a wrong name would never show. */
function unknownCard(card: string): string {
  const known = gpuModels.map(({ model }) => model.replace(/^(NVIDIA|AMD) /, ""));
  const meant = suggest(card.toUpperCase(), known, "npm run list -- cards has them");
  return `"${card}" is no card of the catalogue (${meant}): plans count with this only on machines without GPUs that they call so`;
}

/** A catalogue name is short for its source of weights. */
function weightsOf(weights: string, engine: string | undefined): string {
  const entry = findModel(weights);
  const name = engineNames.find((each) => each === engine);
  if (entry === undefined || name === undefined) {
    return weights;
  }
  const [own] = engineOf(name).sources;
  return own === "ollama" ? (entry.builds?.[name]?.[0]?.tag ?? entry.repository) : entry.repository;
}
