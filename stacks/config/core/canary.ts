/** `models.<name>.canary`: a second revision, read as one more model without special cases. */
import type { z } from "zod";
import { engineOf } from "../../../engines";
import { commitOf, parseSource } from "../../../engines/sources";
import type { DerivedSetting, Traffic } from "../../../planner/traffic";
import type { Revision } from "../../../planner/types";
import type { HubModel } from "./hub-model";
import type { placedModelSchema } from "./sections/models";

/** As in the file. */
export type WrittenModel = z.output<typeof placedModelSchema> & {
  /** Repository named as the model. @default a catalogue model, or a config.json */
  readonly hub?: HubModel;
};

/** A model of the file, or its canary. */
export type ModelConfig = WrittenModel & {
  readonly revisionOf?: Revision;
  /** Server group with its replicas. @default its own entry */
  readonly replicasOf?: string;
  /** Settings left to traffic. @default none */
  readonly derived?: readonly DerivedSetting[];
  /** Neither file nor traffic gives its concurrency. @default one does */
  readonly assumesConcurrency?: true;
};

/** Also of its namespace, gateway path and objects. */
export function canaryName(model: string): string {
  return `${model}-canary`;
}

/** Each canary follows its model. Models named in the file win. */
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

/** Inherits from its model, except replicas. */
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
    // Times and spares are for all requests, of which it has a share.
    ...(scaling && replicas.max > replicas.min && { scaling: { ...scaling, schedule: [], spareReplicas: 0 } }),
    // The model keeps room for all traffic: it gets it back without the canary.
    ...(traffic && weight > 0 && { traffic: shareOf(traffic, weight) }),
    revisionOf: { model: name, weight },
  };
}

function shareOf(traffic: Traffic, weight: number): Traffic {
  return { ...traffic, requestsPerSecond: (traffic.requestsPerSecond * weight) / 100 };
}

type Weights = Pick<WrittenModel, "source" | "quantization">;

/** In an engine's registry, source and quantization both name a build: one replaces the other. */
function weightsOf({ engine, source, quantization }: WrittenModel, canary: Weights): Weights {
  const isOther = canary.source !== undefined || canary.quantization !== undefined;
  return isOther && engineOf(engine).weightsFrom === "registry"
    ? { source: canary.source, quantization: canary.quantization }
    : { source: canary.source ?? source, quantization: canary.quantization ?? quantization };
}
