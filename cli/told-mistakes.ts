import { isUserMistake } from "../stacks/program";
import type { CommandIo } from "./io";
import type { Progress } from "./progress";

/**
 * Does what plans an environment, under a line of progress that is gone at the end.
 *
 * @returns undefined where the user has something to mend: it has been told, in its own words.
 * @throws whatever is no mistake of the user's.
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
