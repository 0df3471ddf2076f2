import type { ConfigProblem } from "./config-source";

/** A config.json that cannot be planned with; `problems` lists everything that is wrong with it at once. */
export class ModelConfigError extends Error {
  override readonly name = "ModelConfigError";

  constructor(
    readonly problems: readonly ConfigProblem[],
    readonly modelName?: string,
  ) {
    // Two readers may trip over the same field.
    const lines = new Set(
      problems.map(
        ({ path, message, value, fix }) =>
          `  ${path}: ${message} (found ${value})${fix === undefined ? "" : `; ${fix}`}`,
      ),
    );
    super([`${modelName ?? "The model config"} cannot be read:`, ...lines].join("\n"));
  }
}
