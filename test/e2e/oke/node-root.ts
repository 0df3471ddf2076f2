import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface ScriptOutcome {
  readonly status: number;
  /** What was called of the programs that only note their arguments, in order. */
  readonly calls: readonly string[];
  readonly said: string;
}

/**
 * A root of its own for a script that nodes boot with, and programs on its PATH that note what they are told: what the
 * script decides is tested, not what the programs do.
 */
export class NodeRoot {
  readonly folder = mkdtempSync(join(tmpdir(), "node-root-"));

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  path(path: string): string {
    return join(this.folder, path);
  }

  has(path: string): boolean {
    return existsSync(this.path(path));
  }

  read(path: string): string {
    return readFileSync(this.path(path), "utf8");
  }

  write(path: string, text: string, mode = 0o644): void {
    const target = this.path(path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
    chmodSync(target, mode);
  }

  /** A program: it notes its arguments, then does this in sh. */
  program(name: string, body = "true"): void {
    this.write(`/bin/${name}`, `#!/bin/sh\necho "${name} $*" >>"$NODE_ROOT/log"\n${body}\n`, 0o755);
  }

  /** What was noted since the last run is forgotten. */
  run(script: string, args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<ScriptOutcome> {
    rmSync(this.path("log"), { force: true });
    const env = { PATH: `${this.path("bin")}:/usr/sbin:/usr/bin:/sbin:/bin`, NODE_ROOT: this.folder, ...more };
    return new Promise((resolve) => {
      execFile("bash", [script, ...args], { env, timeout: 30_000 }, (error, stdout, stderr) => {
        resolve({
          status: typeof error?.code === "number" ? error.code : error ? -1 : 0,
          calls: this.has("log") ? this.read("log").trimEnd().split("\n") : [],
          said: stdout + stderr,
        });
      });
    });
  }
}
