/** Source names that determine the format must match the configuration. */
import { findModel } from "../../../catalog/models";
import { engineOf, type StatedFormat } from "../../../engines";
import { parseSource } from "../../../engines/sources";
import { list, type ProblemDraft } from "../core/problems";
import type { Rule } from "../core/rule";
import { LIST_ENGINES } from "../list-commands";
import { buildOf } from "../model-build";
import type { ModelConfig } from "../schema";

export const quantizationsAgreeWithSources: Rule = function* ({ sections }) {
  for (const [name, model] of Object.entries(sections.models ?? {})) {
    const stated = statedFormat(model);
    if (stated !== undefined) {
      yield* formatProblems(name, model, stated);
    }
  }
};

/** From the catalogue's build, else from the name. */
function statedFormat(model: ModelConfig): StatedFormat | undefined {
  const { engine, source: text } = model;
  const source = text === undefined ? undefined : parseSource(text);
  const { formatNamed } = engineOf(engine);
  if (source === undefined || formatNamed === undefined) {
    return undefined;
  }
  const entry = findModel(model.model ?? "");
  const build = entry && buildOf(entry, model);
  return build ? { word: build.quantization, quantization: build.quantization } : formatNamed(source);
}

function* formatProblems(
  name: string,
  { engine, source, quantization }: ModelConfig,
  { word, quantization: stated }: StatedFormat,
): Generator<ProblemDraft> {
  const { label, formats } = engineOf(engine);
  if (stated === undefined && quantization === undefined) {
    yield {
      path: ["models", name, "source"],
      value: source,
      allowed: `a name with a format that the plan can count; of ${word} it has no size. ${label}: ${list(formats.names, LIST_ENGINES)}`,
      fix: `add quantization: the next larger of these, or take a build in one of them`,
    };
  }
  const isOther = stated !== undefined && quantization !== undefined && formats.takes(quantization);
  if (isOther && stated.toLowerCase() !== quantization.toLowerCase()) {
    yield {
      path: ["models", name, "quantization"],
      value: quantization,
      allowed: `${stated}: the format of the source, ${source}`,
      fix: `remove quantization, or write the source of a build in ${quantization}`,
    };
  }
}

export const sourcesRunHere: Rule = function* ({ sections }) {
  for (const [name, { engine, source }] of Object.entries(sections.models ?? {})) {
    const parsed = source === undefined ? undefined : parseSource(source);
    const fault = parsed && engineOf(engine).sourceFault?.(parsed);
    if (fault) {
      yield { path: ["models", name, "source"], value: source, ...fault };
    }
  }
};
