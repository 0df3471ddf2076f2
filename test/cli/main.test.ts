import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { runCommand } from "../../cli/main";
import { repositoryRoot } from "../../names/repository-root";
import { bin, version } from "../../package.json";
import { COMMANDS_PAGE, commandsPage } from "../../scripts/reference/commands";
import { scripts } from "../../template/package.json";
import { runPiped } from "./run";

const COMMANDS =
  "plan, model, list, import, pin, pins, render, gitops, rancher, portainer, bundle, charts, doctor, rehearse, try, status, cost, top, fleet, smoke, alert-test, measure, calibrate";

/** Starts a command in a process of its own, as `npm run` does. */
function start(...argv: string[]) {
  return spawn(process.execPath, [join(repositoryRoot(), "cli", "run.mjs"), ...argv], { cwd: repositoryRoot() });
}

async function result(command: ChildProcessWithoutNullStreams) {
  let out = "";
  let err = "";
  command.stdout.on("data", (chunk) => {
    out += String(chunk);
  });
  command.stderr.on("data", (chunk) => {
    err += String(chunk);
  });
  const [status] = await once(command, "close");
  return { status, out, err };
}

const run = (...argv: string[]) => runPiped(runCommand, argv);

describe("a command", () => {
  it.each(["", "plna", "constructor"])("%j is no command: status 2, and the names of those that are", async (name) => {
    const problem = name === "" ? "name a command" : `there is no command "${name}"`;
    expect(await run(name)).toEqual({ status: 2, out: "", err: `${problem}; commands: ${COMMANDS}\n` });
  });

  it.each(["-h", "--help"])("%s explains the commands", async (option) => {
    const { status, out } = await run(option);
    expect([status, out]).toEqual([
      0,
      expect.stringMatching(/^Usage: npm run <command>[\s\S]* pin +fix the revisions/),
    ]);
  });

  it.each(COMMANDS.split(", "))("%s -h explains itself", async (name) => {
    const { status, out, err } = await run(name, "-h");
    expect([status, out, err]).toEqual([0, expect.stringMatching(new RegExp(`^Usage: npm run ${name} \\[?-- `)), ""]);
  });

  it("says so when npm has kept an option for itself, and starts nothing", async () => {
    vi.stubEnv("npm_lifecycle_event", "plan");
    vi.stubEnv("npm_command", "run");
    vi.stubEnv("npm_config_json", "true");
    const { status, out, err } = await run("plan", "dev");
    expect([status, out]).toEqual([2, ""]);
    expect(err).toMatch(/^npm kept --json for itself: .* npm run plan -- dev --json\n$/);
  });
});

it("has its help in the documentation: npm run reference", async () => {
  expect(readFileSync(join(repositoryRoot(), COMMANDS_PAGE), "utf8")).toBe(await commandsPage());
});

describe("a command in a process of its own", () => {
  it("--version is that of package.json", async () => {
    expect(await result(start("--version"))).toEqual({ status: 0, out: `${version}\n`, err: "" });
  });

  it("ends with the command's status, and says what is wrong on the other stream", async () => {
    expect(await result(start("plna"))).toEqual({
      status: 2,
      out: "",
      err: expect.stringContaining('there is no command "plna"'),
    });
  });

  it.each(COMMANDS.split(", "))("%s is npm run %s in the template, as messages name it", (name) => {
    expect(scripts).toHaveProperty([name], `inference-stacks ${name}`);
  });

  it("runs under its own name, as npx starts it", () => {
    expect(bin["inference-stacks"]).toBe("cli/run.mjs");
    expect(statSync(join(repositoryRoot(), "cli", "run.mjs")).mode & 0o111).toBe(0o111);
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
