/**
 * `models.<name>.canary` and `models.<name>.firstRevision`. Commits of both revisions are checked
 * by the plan: stacks/revisions.ts.
 */
import { engineOf } from "../../../engines";
import { SOURCES, splitSource } from "../../../engines/sources";
import { canaryName } from "../core/canary";
import type { Rule } from "../core/rule";
import { MODEL_NAME_LENGTH } from "../core/sections/models";

export const canariesDiffer: Rule = function* ({ sections }) {
  for (const [name, { canary, engine }] of Object.entries(sections.models ?? {})) {
    const { source, quantization, engineVersion, image } = canary ?? {};
    if (canary && [source, quantization, engineVersion, image].every((value) => value === undefined)) {
      yield {
        path: ["models", name, "canary"],
        value: canary,
        allowed: "at least one of source, quantization, engineVersion and image: what is to be compared",
        fix: `add one, for example ${example(engineOf(engine).sources[0])}, or remove canary`,
      };
    }
  }
};

function example(kind: keyof typeof SOURCES = "huggingface"): string {
  return kind === "huggingface" ? "source: hf://org/name@<commit>" : `source: ${SOURCES[kind].form}`;
}

export const canariesHaveNames: Rule = function* ({ sections, declared }) {
  for (const [name, { canary }] of Object.entries(sections.models ?? {})) {
    const own = canaryName(name);
    const path = ["models", name, "canary"];
    if (canary && declared.models.includes(own)) {
      const allowed = `a name of its own for the canary: models.${own} has it`;
      yield { path, value: own, allowed, fix: `rename models.${own}, or remove canary` };
    } else if (canary && own.length > MODEL_NAME_LENGTH) {
      const most = MODEL_NAME_LENGTH - canaryName("").length;
      const allowed = `only with a model's name of at most ${most} characters: the canary is named ${own}`;
      yield {
        path,
        value: own,
        allowed,
        fix: "remove canary, or serve the model under a shorter name next to this one",
      };
    }
  }
};

export const firstRevisionsAreInTheStore: Rule = function* ({ sections }) {
  for (const [name, { firstRevision, engine, source, revisionOf }] of Object.entries(sections.models ?? {})) {
    const { weightsFrom, label } = engineOf(engine);
    const kind = source === undefined ? "huggingface" : splitSource(source)?.kind;
    if (firstRevision === undefined || revisionOf || (weightsFrom === "store" && kind === "huggingface")) {
      continue;
    }
    yield {
      path: ["models", name, "firstRevision"],
      value: firstRevision,
      allowed: `only of models that are copied from ${SOURCES.huggingface.label} into the model store${
        weightsFrom === "store" ? "" : `: ${label} fetches its own`
      }`,
      fix: "remove it",
    };
  }
};
