/** A measurement cannot go on. Its message is for a person, and `lookAt` says what to do. */
export class MeasureFailure extends Error {
  constructor(
    message: string,
    readonly lookAt: string,
  ) {
    super(message);
  }
}

/** What was asked for cannot be measured, or taken, as it was asked: no server is at fault. */
export class BadMeasurement extends MeasureFailure {}
