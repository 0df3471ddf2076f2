import type { ConfigProblem } from "./config-source";

/** An unusable config.json; `problems` lists everything wrong with it. */
export class ModelConfigError extends Error {
  override readonly name = "ModelConfigError";

  constructor(
    readonly problems: readonly ConfigProblem[],
    readonly modelName?: string,
  ) {
    // Two readers may report the same field.
    const lines = new Set(
      problems.map(
        ({ path, message, value, fix }) =>
          `  ${path}: ${message} (found ${value})${fix === undefined ? "" : `; ${fix}`}`,
      ),
    );
    super([`${modelName ?? "The model config"} cannot be read:`, ...lines].join("\n"));
  }
}
