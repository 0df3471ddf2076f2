/** A file of a checkpoint that is not what its format says; nothing of the checkpoint is used then. */
export class CheckpointError extends Error {
  override readonly name = "CheckpointError";

  constructor(
    readonly file: string,
    readonly reason: string,
  ) {
    super(`${file} ${reason}`);
  }
}
