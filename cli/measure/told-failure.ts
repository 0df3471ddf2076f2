import { visible } from "../../names/visible";
import { MeasurementError } from "../../stacks/calibration/schema";
import { type CommandIo, EXIT } from "../io";
import { NoAnswer } from "../smoke/http";
import { StepFailure } from "../smoke/result";
import { BadMeasurement, MeasureFailure } from "./failure";

/** @returns the exit status. @throws other errors. */
export function toldFailure(error: unknown, io: Pick<CommandIo, "err">): number {
  if (error instanceof StepFailure) {
    const { expected, got, lookAt } = error.explanation;
    io.err(`expected ${visible(expected)}, got ${visible(got)}\n  look at: ${visible(lookAt)}\n`);
    return EXIT.refused;
  }
  if (error instanceof MeasurementError) {
    io.err(`what is measured: ${error.problems.join("; ")}\n`);
    return EXIT.badInput;
  }
  if (error instanceof MeasureFailure || error instanceof NoAnswer) {
    io.err(`${visible(error.message)}\n  look at: ${visible(error.lookAt)}\n`);
    return error instanceof BadMeasurement ? EXIT.badInput : EXIT.refused;
  }
  throw error;
}
