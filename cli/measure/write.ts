import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isFileSystemError } from "../io";
import { MeasureFailure } from "./failure";

/** @param otherwise options for another place. @throws MeasureFailure for an unwritable place. */
export function writeMeasurement(path: string, text: string, otherwise: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } catch (error) {
    if (!isFileSystemError(error)) {
      throw error;
    }
    throw new MeasureFailure(`${path} cannot be written (${error.code})`, otherwise);
  }
}
