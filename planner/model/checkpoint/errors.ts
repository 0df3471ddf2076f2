/** A malformed checkpoint file; the whole checkpoint is ignored. */
export class CheckpointError extends Error {
  override readonly name = "CheckpointError";

  constructor(
    readonly file: string,
    readonly reason: string,
  ) {
    super(`${file} ${reason}`);
  }
}
