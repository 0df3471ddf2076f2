/** Options under `models.<name>.args` and `env` against the model's own engine release. */
import { type EngineReleases, isRead, namesOf, releaseHas, spanOf, spanText } from "../../../catalog/engine-releases";
import { engineOf } from "../../../engines";
import type { ArgumentValue } from "../../../planner/types";
import { list, type ProblemDraft, suggest } from "../core/problems";
import { releaseOf } from "../engine-block";
import type { ModelConfig } from "../schema";

type Fault = Pick<ProblemDraft, "allowed" | "fix">;

/** Undefined for releases newer than all known. */
function recordOf(config: ModelConfig): EngineReleases | undefined {
  const { releases } = engineOf(config.engine).options;
  return releases !== undefined && isRead(releases, releaseOf(config)) ? releases : undefined;
}

/** Independent of the pinned release. */
export function isFlagOfRelease(name: string, config: ModelConfig): boolean {
  return releaseHas(recordOf(config)?.arguments ?? [], name, releaseOf(config));
}

export function optionOfRelease(
  part: "arguments" | "environment",
  name: string,
  config: ModelConfig,
): Fault | undefined {
  const rows = recordOf(config)?.[part];
  const span = rows && spanOf(rows, name);
  const version = releaseOf(config);
  const { label, variablePrefix } = engineOf(config.engine);
  // Variables without the engine's prefix are for other software.
  const isOfOthers = part === "environment" && span === undefined && !name.startsWith(variablePrefix);
  if (rows === undefined || releaseHas(rows, name, version) || isOfOthers) {
    return undefined;
  }
  const allowed = `a ${part === "arguments" ? "flag" : "variable"} of ${label} ${version}`;
  if (span !== undefined) {
    return { allowed, fix: `it needs ${label} ${spanText(span)}: write such an engineVersion, or remove it` };
  }
  const positive = name.replace(/^no-/, "");
  return releaseHas(rows, positive, version)
    ? { allowed, fix: `write ${positive}: false` }
    : { allowed, fix: suggest(name, namesOf(rows, version), `remove it: ${label} ${version} has none like it`) };
}

export function valueOfRelease(name: string, value: ArgumentValue, config: ModelConfig): Fault | undefined {
  const { values = {} } = recordOf(config) ?? {};
  const rows = Object.hasOwn(values, name) ? values[name] : undefined;
  const version = releaseOf(config);
  if (rows === undefined || releaseHas(rows, String(value), version)) {
    return undefined;
  }
  const { label } = engineOf(config.engine);
  const known = namesOf(rows, version);
  const span = spanOf(rows, String(value));
  return {
    allowed: `with ${label} ${version} one of ${list(known)}`,
    fix:
      span === undefined
        ? suggest(String(value), known, "take one of these")
        : `it needs ${label} ${spanText(span)}: take one of these, or write such an engineVersion`,
  };
}
