/**
 * `npm test` needs Node and what every Linux and macOS machine has: sh, git where it is there, and what a test writes itself. What starts
 * another program is a test on real parts. `.ci/run` has no others on the PATH; this refuses them on every machine, with
 * what a PATH cannot: absolute paths, folders of a PATH that a test names, and an environment without one.
 */
import childProcess, { ChildProcess } from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import { delimiter } from "node:path";
import { afterAll, expect } from "vitest";
import { unknownProgram } from "./unknown-program";

type Env = Readonly<Record<string, string | undefined>>;
interface Spawn {
  spawn(this: ChildProcess, options: { readonly file: string; readonly envPairs?: readonly string[] }): unknown;
}

// Files share a process: the first one's hold.
const shared = globalThis as { unknownPrograms?: string[] };
const found = shared.unknownPrograms ?? watch();

/** Fails the current test file if it starts another program. */
export function refuseUnknownPrograms(): void {
  afterAll(() => {
    expect(found.splice(0), "programs that this file starts").toEqual([]);
  });
}

function watch(): string[] {
  const refused: string[] = [];
  const path = (process.env.PATH ?? "").split(delimiter);
  const check = (file: string, env: Env) => {
    const why = unknownProgram(file, env.PATH, path);
    if (why !== undefined) {
      refused.push(why);
      throw new Error(why);
    }
  };
  const prototype = ChildProcess.prototype as unknown as Spawn;
  const { spawn } = prototype;
  prototype.spawn = function (options) {
    check(options.file, Object.fromEntries((options.envPairs ?? []).map((pair) => pair.split(/=(.*)/s, 2))));
    return spawn.call(this, options);
  };
  for (const name of ["spawnSync", "execFileSync"] as const) {
    const original = childProcess[name] as (...args: unknown[]) => unknown;
    const wrapped = (file: string, ...args: unknown[]) => {
      const options = args.find((arg) => typeof arg === "object" && !Array.isArray(arg)) as { env?: Env } | undefined;
      check(file, options?.env ?? process.env);
      return original(file, ...args);
    };
    Object.assign(childProcess, { [name]: wrapped });
  }
  syncBuiltinESMExports();
  shared.unknownPrograms = refused;
  return refused;
}
