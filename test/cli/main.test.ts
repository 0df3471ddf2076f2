import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "../../catalog/root";

/** Starts a command as `npm run` does. */
function start(...argv: string[]) {
  return spawn(process.execPath, [join(repositoryRoot(), "cli", "run.mjs"), ...argv], { cwd: repositoryRoot() });
}

describe("a command in a process of its own", () => {
  it.each(["", "plna", "constructor"])("%j is no command: status 2, and the names of those that are", async (name) => {
    const command = start(name);
    let err = "";
    command.stderr.on("data", (chunk) => {
      err += String(chunk);
    });
    const [status] = await once(command, "close");
    expect([status, err]).toEqual([
      2,
      `there is no command "${name}"; commands: plan, model, render, rehearse, smoke\n`,
    ]);
  });

  it("ends well when its reader has seen enough, as with `| head`", async () => {
    const command = start("plan", "dev", "--json");
    let err = "";
    command.stderr.on("data", (chunk) => {
      err += String(chunk);
    });
    command.stdout.destroy();
    const [status] = await once(command, "exit");
    expect([status, err]).toEqual([0, ""]);
  });
});
