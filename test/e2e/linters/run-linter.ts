import { spawn } from "node:child_process";
import { requirePart } from "../../../rehearsal/parts/find";
import type { BinaryName } from "../../../rehearsal/parts/parts";

const TIMEOUT_MS = 300_000;

/** What a linter printed. */
interface Printed {
  readonly text: string;
  /** How it ended and what it said, for a message. */
  readonly failure: string;
}

/**
 * Runs a linter and reads its standard output as JSON. Linters end with 0 or, where they found something, with 1.
 *
 * @throws Error with what it printed, when it ends otherwise, prints no JSON, or takes longer than five minutes.
 */
export async function lintJson(binary: BinaryName, args: readonly string[], cwd: string): Promise<unknown> {
  return parsed(await lint(binary, args, cwd));
}

/** The same for a linter that prints one JSON value a line, and nothing where it finds nothing. */
export async function lintJsonLines(binary: BinaryName, args: readonly string[], cwd: string): Promise<unknown[]> {
  const { text, failure } = await lint(binary, args, cwd);
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => parsed({ text: line, failure }));
}

/** The same for a linter that prints text. */
export async function lintText(binary: BinaryName, args: readonly string[], cwd: string): Promise<string> {
  return (await lint(binary, args, cwd)).text;
}

function parsed({ text, failure }: Printed): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(failure);
  }
}

async function lint(binary: BinaryName, args: readonly string[], cwd: string): Promise<Printed> {
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
  return { text: printed, failure };
}
