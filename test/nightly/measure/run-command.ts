import { spawn } from "node:child_process";
import { join } from "node:path";
import { repositoryRoot } from "../../../names/repository-root";

export interface CommandEnd {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** A command of this project, as `npm run NAME -- ARGS` starts it. */
export function runCommand(name: string, args: readonly string[]): Promise<CommandEnd> {
  const child = spawn(process.execPath, [join(repositoryRoot(), "cli", "run.mjs"), name, ...args], {
    cwd: repositoryRoot(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    err += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve({ status, out, err }));
  });
}
