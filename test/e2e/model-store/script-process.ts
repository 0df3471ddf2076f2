import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { waitFor } from "../../../rehearsal/cluster/wait";
import type { ContainerFolder } from "./container-folder";

/** The scripts' image has Node 24, which strips types itself; an older one needs help. */
const STRIPS_TYPES = Number(process.versions.node.split(".")[0]) >= 24;

export interface Outcome {
  /** null when a signal ended it. */
  readonly status: number | null;
  readonly output: string;
}

/** A container's command as a process, with the container's variables and nothing else. */
export class ScriptProcess {
  /** Everything that it printed until now, both streams. */
  output = "";
  readonly ended: Promise<Outcome>;
  private readonly child: ChildProcess;

  constructor({ command, env }: Pick<ContainerFolder, "command" | "env">) {
    const [program = "", ...args] = command[0] === "node" ? withNode(command.slice(1)) : command;
    this.child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        this.output += String(chunk);
      });
    }
    this.ended = new Promise((resolve, reject) => {
      this.child.once("error", reject);
      this.child.once("close", (status) => resolve({ status, output: this.output }));
    });
  }

  /** Waits until `done` holds of what it printed. @throws Error with that when it does not within 20 seconds. */
  async printed(done: (output: string) => boolean): Promise<void> {
    const answer = async () => (done(this.output) ? true : undefined);
    await waitFor("a script to get further", answer, 20).catch((error: Error) => {
      throw new Error(`${error.message}; it printed:\n${this.output}`);
    });
  }

  /** Sends it what its kubelet would; the process itself stands in for the container's first. */
  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Memory that it has, MiB. */
  memoryMiB(): number {
    const [, kilobytes = "0"] =
      /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.child.pid}/status`, "utf8")) ?? [];
    return Number(kilobytes) / 1024;
  }

  /** Kills it as a node that loses power would. */
  async kill(): Promise<Outcome> {
    this.child.kill("SIGKILL");
    return this.ended;
  }
}

function withNode(args: readonly string[]): string[] {
  // Its loader for CommonJS, because the one for ES modules stays out of worker threads on Node 20.
  const loader = STRIPS_TYPES ? [] : ["--require", createRequire(__filename).resolve("tsx/cjs")];
  return [process.execPath, ...loader, ...args];
}
