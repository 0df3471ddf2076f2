/** A measurement cannot go on. Its message is for a person, and `lookAt` says what to do. */
export class MeasureFailure extends Error {
  constructor(
    message: string,
    readonly lookAt: string,
  ) {
    super(message);
  }
}
