import { findModel, type ModelBuild } from "../../catalog/models";
import { type EngineName, engineNames, engineOf, modelEngineVersion, settingsOf } from "../../engines";
import { parseSource, sourceText } from "../../engines/sources";
import type { ModelRequest, PlanRequest } from "../request";
import { SCALED_BY_DEFAULT } from "../scaling";
import { type Setting, withModel } from "./setting";

const OWN_FIELDS = [
  "loading",
  "kvCacheDtype",
  "tensorParallel",
  "pipelineParallel",
  "gpuMemoryUtilization",
  "maxNumSeqs",
  "declaredMemoryGiB",
  "maxLoras",
  "maxLoraRank",
] as const satisfies readonly (keyof ModelRequest)[];

/** Engine of models without `engine`. */
const [DEFAULT_ENGINE] = engineNames;

const UNASKED: Partial<ModelRequest> = {
  ...Object.fromEntries(OWN_FIELDS.map((key) => [key, undefined])),
  engineSettings: undefined,
};

/** Fields whose meaning depends on the engine. */
const TIES = [
  "args",
  "env",
  "adapters",
  "chatTemplate",
  "quantization",
  "configIsOfAnotherSource",
  "revisionOf",
  "serverOf",
  "node",
] as const satisfies readonly (keyof ModelRequest)[];

/**
 * Engines for the same weights, or for their own catalogue build of the model, where nothing in the
 * file ties it to its engine.
 */
export function onAnotherEngine(request: PlanRequest, model: ModelRequest): Setting[] {
  if (isTied(request, model)) {
    return [];
  }
  return engineNames
    .filter((engine) => engine !== model.engine && engineOf(engine).tasks.includes(model.task))
    .flatMap((engine) => {
      const build = buildOn(model, engine);
      const change = build ? changeTo(engine, build) : servesSame(model, engine) ? sameOn(engine) : undefined;
      return change === undefined
        ? []
        : {
            path: `models.${model.name}.engine`,
            from: model.engine,
            count: 1,
            changesWeights: build !== undefined,
            at: () => ({
              to: engine === DEFAULT_ENGINE ? null : engine,
              request: withModel(request, model.name, change),
            }),
          };
    });
}

/** The model's build in an engine's own registry. */
export function buildOn({ source }: Pick<ModelRequest, "source">, engine: EngineName): ModelBuild | undefined {
  const builds = source.kind === "huggingface" ? findModel(source.repository)?.builds : undefined;
  return builds !== undefined && Object.hasOwn(builds, engine) ? builds[engine]?.[0] : undefined;
}

/** Engines with the same formats read the same weights from the same folder of the store. */
function servesSame(model: ModelRequest, engine: EngineName): boolean {
  const [now, then] = [engineOf(model.engine), engineOf(engine)];
  return now.formats === then.formats && then.weightsFrom === "store" && then.sources.includes(model.source.kind);
}

function sameOn(engine: EngineName): Partial<ModelRequest> {
  return { ...UNASKED, measurements: undefined, notes: undefined, ...askedOn(engine), engine };
}

function isTied({ models }: PlanRequest, model: ModelRequest): boolean {
  const { engine, engineVersion, source, scaling, name } = model;
  const usual = settingsOf(engine).requested(undefined);
  return (
    model.image !== undefined ||
    TIES.some((key) => model[key] !== undefined) ||
    OWN_FIELDS.some((key) => model[key] !== usual[key]) ||
    JSON.stringify(model.engineSettings) !== JSON.stringify(usual.engineSettings) ||
    engineVersion !== modelEngineVersion({ engine, engineSettings: usual.engineSettings }) ||
    (source.kind === "huggingface" && source.revision !== "main") ||
    (scaling !== undefined && scaling !== SCALED_BY_DEFAULT) ||
    models.some(({ revisionOf, serverOf }) => revisionOf?.model === name || serverOf === name)
  );
}

/** Request of a model without an engine block. */
function askedOn(engine: EngineName): Partial<ModelRequest> {
  const { chatTemplate: _, ...requested } = settingsOf(engine).requested(undefined);
  return { ...requested, engineVersion: modelEngineVersion({ engine, engineSettings: requested.engineSettings }) };
}

/** Values from the file stay; those derived from the engine are derived anew. */
function changeTo(engine: EngineName, { tag, quantization }: ModelBuild): Partial<ModelRequest> | undefined {
  const { sources } = engineOf(engine);
  const [own = "huggingface"] = sources;
  const source = parseSource(sourceText(own, tag));
  return (
    source && {
      ...sameOn(engine),
      storeFolder: undefined,
      source,
      quantization,
    }
  );
}
