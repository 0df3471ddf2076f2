/** The environment must not be rendered; each reason stands alone. */
export class RenderRefusedError extends Error {
  constructor(readonly reasons: readonly string[]) {
    super(reasons.join("\n"));
  }
}
