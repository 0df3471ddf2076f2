import type { MissingParts } from "../../rehearsal/needed-parts";
import { cacheFolder } from "../../rehearsal/parts/cache";
import { effortOf, lackGo } from "../../rehearsal/parts/effort";
import { SETUP } from "../../rehearsal/parts/find";
import { Progress } from "../../rehearsal/parts/progress";
import { setUp } from "../../rehearsal/parts/setup";
import type { CommandIo } from "../io";

/** Options of a rehearsal. */
export interface Asked {
  readonly environment: string;
  /** Without asking. */
  readonly install: boolean;
}

/**
 * Lists missing parts with source and duration, then installs them with the user's consent. Without
 * a terminal, names the command.
 *
 * @returns whether all parts are present now.
 */
export async function offerToInstall(missing: MissingParts, asked: Asked, io: CommandIo): Promise<boolean> {
  io.err(needsText(missing, asked.environment));
  const question = `Install into ${cacheFolder()}? [y/N] `;
  if (!asked.install && !/^y(es)?$/i.test(((await io.ask?.(question)) ?? "").trim())) {
    io.err(`Install with "${SETUP} -- ${missing.names.join(" ")}", or rehearse with --install.\n`);
    return false;
  }
  const progress = new Progress((line) => io.err(`${line}\n`));
  try {
    return (await setUp(missing.names, progress)).length === 0;
  } finally {
    progress.stop();
  }
}

function needsText({ names, skipped }: MissingParts, environment: string): string {
  const unbuilt = lackGo(names);
  const width = Math.max(...names.map((name) => name.length));
  return [
    `${environment} cannot be rehearsed yet. Not installed on this machine:`,
    ...names.map((name) => `  ${name.padEnd(width)}  ${effortOf(name)}`),
    ...skipped.map((sentence) => `Not used: ${sentence}.`),
    ...(unbuilt.length > 0
      ? [`Builds of ${unbuilt.join(", ")} need Go 1.26, which is not on PATH: https://go.dev/dl`]
      : []),
    "",
  ].join("\n");
}
