import { spawn } from "node:child_process";
import { requirePart } from "../../../rehearsal/parts/find";
import type { BinaryName } from "../../../rehearsal/parts/parts";

const TIMEOUT_MS = 300_000;

/**
 * Runs a linter and reads its standard output as JSON. Linters end with 0 or, where they found something, with 1.
 *
 * @throws Error with what it printed, when it ends otherwise, prints no JSON, or takes longer than five minutes.
 */
export async function lintJson(binary: BinaryName, args: readonly string[], cwd: string): Promise<unknown> {
  const child = spawn(requirePart(binary), args, { cwd, stdio: ["ignore", "pipe", "pipe"], timeout: TIMEOUT_MS });
  const output: string[] = [];
  const errors: string[] = [];
  child.stdout.setEncoding("utf8").on("data", (text: string) => output.push(text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => errors.push(text));
  const status = await new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? signal));
  });
  const printed = output.join("");
  const failure = `${binary} ended with ${status}: ${errors.join("") || printed}`;
  if (status !== 0 && status !== 1) {
    throw new Error(failure);
  }
  try {
    return JSON.parse(printed);
  } catch {
    throw new Error(failure);
  }
}
