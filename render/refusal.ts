/** The environment must not be rendered; each reason is complete. */
export class RenderRefusedError extends Error {
  constructor(readonly reasons: readonly string[]) {
    super(reasons.join("\n"));
  }
}

/** The environment is not one that GitOps applies, however right it is. */
export class NothingToRenderError extends RenderRefusedError {}
