/** Ends a measurement. Message for users; `lookAt` advises. */
export class MeasureFailure extends Error {
  constructor(
    message: string,
    readonly lookAt: string,
  ) {
    super(message);
  }
}

/** An impossible request, without a server's fault. */
export class BadMeasurement extends MeasureFailure {}
