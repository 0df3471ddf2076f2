import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "../../names/repository-root";
import { bin, version } from "../../package.json";

/** Starts a command as `npm run` does. */
function start(...argv: string[]) {
  return startWith({}, ...argv);
}

function startWith(variables: NodeJS.ProcessEnv, ...argv: string[]) {
  const env = { ...process.env, ...variables };
  return spawn(process.execPath, [join(repositoryRoot(), "cli", "run.mjs"), ...argv], { cwd: repositoryRoot(), env });
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

describe("a command in a process of its own", () => {
  it.each(["", "plna", "constructor"])("%j is no command: status 2, and the names of those that are", async (name) => {
    const problem = name === "" ? "name a command" : `there is no command "${name}"`;
    expect(await result(start(name))).toEqual({
      status: 2,
      out: "",
      err: `${problem}; commands: plan, model, list, pin, render, bundle, doctor, rehearse, try, status, fleet, smoke, measure\n`,
    });
  });

  it.each(["-h", "--help"])("%s explains the commands", async (option) => {
    const { status, out } = await result(start(option));
    expect([status, out]).toEqual([
      0,
      expect.stringMatching(/^Usage: npm run <command>[\s\S]* pin +fix the revisions/),
    ]);
  });

  it.each(["plan", "model", "list", "pin", "render", "doctor", "rehearse", "status", "fleet", "smoke", "measure"])(
    "%s -h explains itself",
    async (name) => {
      const { status, out, err } = await result(start(name, "-h"));
      expect([status, out, err]).toEqual([0, expect.stringContaining(`Usage: npm run ${name} -- `), ""]);
    },
  );

  it("--version is that of package.json", async () => {
    expect(await result(start("--version"))).toEqual({ status: 0, out: `${version}\n`, err: "" });
  });

  it("says so when npm has kept an option for itself, and starts nothing", async () => {
    const npm = { npm_lifecycle_event: "plan", npm_command: "run", npm_config_json: "true" };
    const { status, out, err } = await result(startWith(npm, "plan", "dev"));
    expect([status, out]).toEqual([2, ""]);
    expect(err).toBe(
      "npm kept --json for itself: options of the command stand behind --, as in npm run plan -- dev --json\n",
    );
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
