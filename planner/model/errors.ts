import type { ConfigProblem } from "./config-source";

/** A config.json that cannot be planned with; `problems` lists everything that is wrong with it at once. */
export class ModelConfigError extends Error {
  override readonly name = "ModelConfigError";

  constructor(
    readonly problems: readonly ConfigProblem[],
    modelName?: string,
  ) {
    super(
      [
        `${modelName ?? "The model config"} cannot be read:`,
        ...problems.map((problem) => `  ${problem.path}: ${problem.message} (found ${problem.value})`),
      ].join("\n"),
    );
  }
}
