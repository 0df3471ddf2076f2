/** `models.<name>.canary`: a second revision of a model. It is read as one more model, so that nothing needs a case for it. */
import type { z } from "zod";
import { engineOf } from "../../../engines";
import { commitOf, parseSource } from "../../../engines/sources";
import type { DerivedSetting, Traffic } from "../../../planner/traffic";
import type { Revision } from "../../../planner/types";
import type { HubModel } from "./hub-model";
import type { placedModelSchema } from "./sections/models";

/** A model as the file has it. */
export type WrittenModel = z.output<typeof placedModelSchema> & {
  /** Repository that the file names as the model. @default the file names a model of the catalogue, or a config.json */
  readonly hub?: HubModel;
};

/** A model as everything behind the file sees it: one that the file names, or the canary of one. */
export type ModelConfig = WrittenModel & {
  readonly revisionOf?: Revision;
  /** Server group whose entry in the file says how many replicas it has. @default its own entry does */
  readonly replicasOf?: string;
  /** Settings that the file leaves to its traffic. @default none */
  readonly derived?: readonly DerivedSetting[];
  /** Neither the file nor its traffic says how many requests a replica answers at once. @default one of them does */
  readonly assumesConcurrency?: true;
};

/** Key of a model's canary among the models: its namespace, its path at the gateway and its objects have this name. */
export function canaryName(model: string): string {
  return `${model}-canary`;
}

/** The models with each canary behind its model. A model that the file names itself stays what it is. */
export function withCanaries(models: Readonly<Record<string, WrittenModel>>): Record<string, ModelConfig> {
  return Object.fromEntries(
    Object.entries(models).flatMap(([name, model]): [string, ModelConfig][] => {
      const canary = canaryOf(name, model);
      return canary === undefined || Object.hasOwn(models, canaryName(name))
        ? [[name, model]]
        : [
            [name, model],
            [canaryName(name), canary],
          ];
    }),
  );
}

/** What the canary does not say, it has of its model, except for the number of replicas. */
function canaryOf(name: string, model: WrittenModel): ModelConfig | undefined {
  const { canary, scaling, traffic, ...own } = model;
  if (canary === undefined) {
    return undefined;
  }
  const { weight, replicas, source, quantization, engineVersion, image } = canary;
  const firstRevision = own.firstRevision ?? commitOf(own.source === undefined ? undefined : parseSource(own.source));
  return {
    ...own,
    ...weightsOf(model, { source, quantization }),
    ...(engineVersion !== undefined && { engineVersion }),
    ...(image && { image }),
    ...(firstRevision !== undefined && { firstRevision }),
    servedName: own.servedName ?? name,
    replicas,
    // Times and spare room are of all requests, of which it answers a part.
    ...(scaling && replicas.max > replicas.min && { scaling: { ...scaling, schedule: [], spareReplicas: 0 } }),
    // The model itself keeps room for all of its traffic: it answers all of it again when the canary is taken back.
    ...(traffic && weight > 0 && { traffic: shareOf(traffic, weight) }),
    revisionOf: { model: name, weight },
  };
}

function shareOf(traffic: Traffic, weight: number): Traffic {
  return { ...traffic, requestsPerSecond: (traffic.requestsPerSecond * weight) / 100 };
}

type Weights = Pick<WrittenModel, "source" | "quantization">;

/** In an engine's own registry a source and a quantization both name a build: one that is given replaces the other. */
function weightsOf({ engine, source, quantization }: WrittenModel, canary: Weights): Weights {
  const isOther = canary.source !== undefined || canary.quantization !== undefined;
  return isOther && engineOf(engine).weightsFrom === "registry"
    ? { source: canary.source, quantization: canary.quantization }
    : { source: canary.source ?? source, quantization: canary.quantization ?? quantization };
}
