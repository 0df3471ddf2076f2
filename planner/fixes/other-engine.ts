import { findModel, type ModelBuild } from "../../catalog/models";
import { type EngineName, engineNames, engineOf, modelEngineVersion, settingsOf } from "../../engines";
import { parseSource, sourceText } from "../../engines/sources";
import type { ModelRequest, PlanRequest } from "../request";
import { SCALED_BY_DEFAULT } from "../scaling";
import { type Setting, withModel } from "./setting";

/** Fields of a request that come from the engine's own block. */
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

/** Fields that mean another thing on another engine, or nothing. */
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

/** Other engines whose own build of the model the catalogue has, where nothing in the file ties it to its engine. */
export function onAnotherEngine(request: PlanRequest, model: ModelRequest): Setting[] {
  if (isTied(request, model)) {
    return [];
  }
  return engineNames
    .filter((engine) => engine !== model.engine && engineOf(engine).tasks.includes(model.task))
    .flatMap((engine) => {
      const build = buildOn(model, engine);
      const change = build && changeTo(engine, build);
      return change === undefined
        ? []
        : {
            path: `models.${model.name}.engine`,
            from: model.engine,
            count: 1,
            at: () => ({ to: engine, request: withModel(request, model.name, change) }),
          };
    });
}

/** The build that the model means on an engine which has its own registry. */
export function buildOn({ source }: Pick<ModelRequest, "source">, engine: EngineName): ModelBuild | undefined {
  const builds = source.kind === "huggingface" ? findModel(source.repository)?.builds : undefined;
  return builds !== undefined && Object.hasOwn(builds, engine) ? builds[engine]?.[0] : undefined;
}

function isTied({ models }: PlanRequest, model: ModelRequest): boolean {
  const { engine, engineVersion, source, scaling, name } = model;
  const usual = settingsOf(engine).requested(undefined);
  return (
    TIES.some((key) => model[key] !== undefined) ||
    OWN_FIELDS.some((key) => model[key] !== usual[key]) ||
    JSON.stringify(model.engineSettings) !== JSON.stringify(usual.engineSettings) ||
    engineVersion !== modelEngineVersion({ engine, engineSettings: usual.engineSettings }) ||
    (source.kind === "huggingface" && source.revision !== "main") ||
    (scaling !== undefined && scaling !== SCALED_BY_DEFAULT) ||
    models.some(({ revisionOf, serverOf }) => revisionOf?.model === name || serverOf === name)
  );
}

/** What the file says of the model holds; what followed from its engine follows from the other one. */
function changeTo(engine: EngineName, { tag, quantization }: ModelBuild): Partial<ModelRequest> | undefined {
  const { sources } = engineOf(engine);
  const [own = "huggingface"] = sources;
  const source = parseSource(sourceText(own, tag));
  const { chatTemplate: _, ...requested } = settingsOf(engine).requested(undefined);
  const nothing = Object.fromEntries(OWN_FIELDS.map((key) => [key, undefined]));
  const engineVersion = modelEngineVersion({ engine, engineSettings: requested.engineSettings });
  return (
    source && {
      ...nothing,
      storeFolder: undefined,
      measurements: undefined,
      notes: undefined,
      engineSettings: undefined,
      ...requested,
      engine,
      engineVersion,
      source,
      quantization,
    }
  );
}
