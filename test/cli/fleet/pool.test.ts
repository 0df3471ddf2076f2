import { fork } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { doAll } from "../../../cli/fleet/pool";
import type { Job, Outcome } from "../../../cli/fleet/work";
import { useFolder } from "../run";

const folder = useFolder();

describe("a worker that breaks", () => {
  const job = (name: string): Job => ({ task: "plan", name, text: "", fileName: "x", baseDirectory: "." });
  const script = join(folder, "worker.cjs");

  it("costs the node that it had, and another takes its place", async () => {
    writeFileSync(
      script,
      `process.on("message", ({ name }) => {
        if (name === "dies") { console.error("out of memory"); process.exit(9); }
        if (name === "hangs") { process.on("SIGTERM", () => {}); return; }
        process.send({ kind: "mistake", message: name });
      });`,
    );
    const told: [string, Outcome][] = [];
    const pids: (number | undefined)[] = [];
    await doAll(["first", "dies", "second", "hangs", "last"].map(job), {
      workers: 1,
      secondsPerJob: 2,
      onOutcome: ({ name }, outcome) => told.push([name, outcome]),
      start: () => {
        const child = fork(script, { execArgv: [], stdio: ["ignore", "ignore", "pipe", "ipc"] });
        pids.push(child.pid);
        return child;
      },
    });
    expect(told).toEqual([
      ["first", { kind: "mistake", message: "first" }],
      ["dies", { kind: "failed", message: "its process ended with status 9:\nout of memory" }],
      ["second", { kind: "mistake", message: "second" }],
      ["hangs", { kind: "failed", message: "there was no answer within 2 s" }],
      ["last", { kind: "mistake", message: "last" }],
    ]);
    expect(new Set(pids).size).toBe(3);
    await expect.poll(() => pids.filter((pid) => pid !== undefined && isRunning(pid)), { timeout: 5000 }).toEqual([]);
    rmSync(script);
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
