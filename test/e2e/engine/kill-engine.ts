import { readdirSync, readFileSync } from "node:fs";

/**
 * Ends the engine that the Automation API runs for this process where it is, as a crash or the kernel's memory killer does.
 *
 * @throws Error where none runs.
 */
export function killEngine(): void {
  const engine = readdirSync("/proc").find((pid) => /^\d+$/.test(pid) && isOwnEngine(pid));
  if (engine === undefined) {
    throw new Error("no engine runs for this process");
  }
  process.kill(Number(engine), "SIGKILL");
}

function isOwnEngine(pid: string): boolean {
  try {
    // proc_pid_stat(5): number, name in brackets, state, and the parent's number.
    const [, parent] = /^\d+ \(pulumi\) \S (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return Number(parent) === process.pid;
  } catch {
    return false;
  }
}
