import { isUserMistake } from "../stacks/program";
import type { CommandIo } from "./io";
import type { Progress } from "./progress";

/**
 * Plans an environment with a progress line.
 *
 * @returns undefined after reporting a user's mistake.
 * @throws other errors.
 */
export async function toldMistakes<Result extends object | number>(
  io: CommandIo,
  progress: Progress,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!isUserMistake(error)) {
      throw error;
    }
    progress.stop();
    io.err(`${error.message}\n`);
    return undefined;
  } finally {
    progress.stop();
  }
}
