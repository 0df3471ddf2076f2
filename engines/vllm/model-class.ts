/**
 * Whether a vLLM release has the model's class, by `architectures` in its config.json:
 * inspect_model_cls in model_executor/models/registry.py of 0.10.1 to 0.33.0,
 * get_model_architecture in model_loader/utils.py before.
 */
import {
  isRead,
  isWithin,
  type ReleaseOption,
  type ReleaseSpan,
  releaseHas,
  spanText,
} from "../../catalog/engine-releases";
import { compareVersions } from "../../names/versions";
import { keepsStates, type ModelArchitecture } from "../../planner/model/architecture";
import { runsRepositoryCode } from "../repository-code";
import { isPooling, type ServedModel } from "../served-model";
import { vllmReleases } from "./releases";
import table from "./releases.json";

/** Support of a model's class; `span`: releases that have it, undefined if none has. */
export interface ClassFinding {
  readonly verdict: "refused" | "doubtful";
  readonly reason: string;
  readonly span?: ReleaseSpan;
}

const { classes } = vllmReleases;
const { attentionAlone, mistralFamilies } = table.classes;
const newest = vllmReleases.releases.at(-1) ?? "";

/** Undefined if the release has a class, or if config.json does not determine it. */
export function classFinding(model: ServedModel): ClassFinding | undefined {
  const { architecture, engineVersion: version } = model;
  const names = architecture.classes ?? [];
  if (classes === undefined || names.length === 0 || isNamedElsewhere(model)) {
    return undefined;
  }
  const pooling = isPooling(model);
  if (pooling && compareVersions(version, classes.since) < 0) {
    return undefined;
  }
  if (names.some((name) => hasOwn(name, version)) || (pooling && hasConverted(names, version))) {
    return undefined;
  }
  const text = names.join(", ");
  if (
    names.some((name) => releaseHas(classes.ofTransformers, name, version)) &&
    runsInTransformers(architecture, version)
  ) {
    return {
      verdict: "doubtful",
      reason: `vLLM ${version} has no class ${text}, and runs the one of Transformers: memory and speed of that are not known, nor whether it starts`,
    };
  }
  if (hasConverted(names, version)) {
    return undefined;
  }
  const span = nearestSpan(names, version);
  return span === undefined && !isJudged(names, version) ? undefined : withoutClass(model, text, span);
}

/** A file other than the plan's config.json names the class. */
function isNamedElsewhere({ args = {}, architecture, source }: ServedModel): boolean {
  const overrides = JSON.stringify(args["hf-overrides"] ?? "");
  const mayHaveParams = source.kind !== "huggingface" || args["config-format"] === "mistral";
  return overrides.includes("architectures") || (mayHaveParams && mistralFamilies.includes(architecture.family));
}

function withoutClass(model: ServedModel, text: string, span: ReleaseSpan | undefined): ClassFinding {
  const reason =
    span === undefined
      ? `no vLLM up to ${newest} has a class ${text}, nor has the Transformers in its images one that it runs`
      : `models of the class ${text} need vLLM ${spanText(span)}`;
  const spanned = span === undefined ? {} : { span };
  return mayRunRepositoryCode(model)
    ? {
        verdict: "doubtful",
        reason: `${reason}; whether the repository's own code runs in its place is not known`,
        ...spanned,
      }
    : { verdict: "refused", reason, ...spanned };
}

/**
 * Repository code runs if it calls the attention interface of Transformers 4.48 (2025-01-10). Code
 * of families that 0.8.0 (2025-03-18) had already does not, unless rewritten and declared:
 * --model-impl=transformers.
 */
function mayRunRepositoryCode(model: ServedModel): boolean {
  const { architecture, args = {}, engineVersion } = model;
  const isOld = architecture.classes?.some((name) =>
    classes?.own.some((row) => row.name === name && row.since === undefined && row.until !== undefined),
  );
  return (
    runsRepositoryCode(model) &&
    runsInTransformers(architecture, engineVersion) &&
    (isOld !== true || args["model-impl"] === "transformers")
  );
}

/**
 * Since some release the adapter fails on layers without attention ("does not dispatch through ...
 * attention interface").
 */
function runsInTransformers(architecture: ModelArchitecture, version: string): boolean {
  return !keepsStates(architecture) || !isWithin(attentionAlone, version);
}

function hasOwn(name: string, version: string): boolean {
  return classes !== undefined && releaseHas(classes.own, name, version);
}

/** The registry tries a name with other endings (_normalize_arch). */
function hasConverted(names: readonly string[], version: string): boolean {
  return (
    classes !== undefined &&
    compareVersions(version, classes.since) >= 0 &&
    names.flatMap(otherNames).some((name) => hasOwn(name, version))
  );
}

function otherNames(name: string): string[] {
  const endings = classes === undefined ? [] : [...classes.generating, ...classes.pooling];
  const ending = endings.find((each) => name.endsWith(each));
  return ending === undefined ? [] : endings.map((each) => name.slice(0, -ending.length) + each);
}

/** The next span with one of these classes, else the last. */
function nearestSpan(names: readonly string[], version: string): ReleaseSpan | undefined {
  if (classes === undefined) {
    return undefined;
  }
  const spans = (rows: readonly ReleaseOption[], wanted: readonly string[]) =>
    rows.filter(({ name }) => wanted.includes(name)).map(({ name: _, ...span }): ReleaseSpan => span);
  const own = spans(classes.own, names);
  const found = own.length > 0 ? own : spans(classes.ofTransformers, names);
  return found.find(({ since }) => since !== undefined && compareVersions(since, version) > 0) ?? found.at(-1);
}

/** Names with other endings were checked only in the registry, and newer releases may have any. */
function isJudged(names: readonly string[], version: string): boolean {
  return isRead(vllmReleases, version) && names.every((name) => otherNames(name).length > 0);
}
