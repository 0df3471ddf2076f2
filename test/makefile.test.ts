/** The Makefile is thin: each target is one command, which exists, and tells what it would do. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { environmentNames } from "../cli/environments";
import { repositoryRoot } from "../names/repository-root";
import { scripts } from "../package.json";

const makefile = readFileSync(join(repositoryRoot(), "Makefile"), "utf8");
const phony = /^\.PHONY: (.*)$/m.exec(makefile)?.[1]?.split(" ") ?? [];
const targets = phony.filter((name) => name !== "help");

/** Lines of a target's recipe: what it says of itself, and what it runs. */
function recipe(target: string): { readonly told: readonly string[]; readonly run: readonly string[] } {
  const [, text = ""] = new RegExp(`^${target}:[^\n]*\n((?:\t[^\n]*\n)*)`, "m").exec(makefile) ?? [];
  const lines = text.split("\n").filter((line) => line !== "");
  return {
    told: lines.filter((line) => line.startsWith("\t@# ")),
    run: lines.filter((line) => !line.startsWith("\t@# ")).map((line) => line.trim()),
  };
}

describe("the Makefile", () => {
  it("has the targets that are promised", () => {
    expect(targets).toEqual(expect.arrayContaining(["install", "destroy", "plan", "status", "smoke", "bundle", "try"]));
  });

  it.each(targets)("%s is one command that tells what it is for", (target) => {
    const { told, run } = recipe(target);
    expect(told.length).toBeGreaterThan(0);
    expect(run).toEqual([expect.stringMatching(/^(npm run -s|pulumi) /)]);
  });

  const npmScripts = targets.flatMap((target) => /^npm run -s (\w+)/.exec(recipe(target).run[0] ?? "")?.[1] ?? []);
  it.each(npmScripts)("npm run %s is there", (script) => {
    expect(Object.keys(scripts)).toContain(script);
  });

  it("keeps the rest of a cluster's section where it writes one key of it", () => {
    expect(makefile).not.toMatch(/^\t[^@#]*--config-path/m);
  });
});

const hasMake = spawnSync("make", ["--version"]).status === 0;

function make(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { MAKEFLAGS: _, MAKELEVEL: __, ENV: ___, PULUMI_CONFIG_PASSPHRASE: ____, ...rest } = process.env;
  const { status, stdout, stderr } = spawnSync("make", [...args], {
    cwd: repositoryRoot(),
    encoding: "utf8",
    env: { ...rest, ...env },
  });
  const commands = stdout.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return { status, stdout, stderr, commands: commands.map((line) => line.trim()) };
}

describe.runIf(hasMake)("make -n", () => {
  it.each([
    [["try"], ["npm run -s try --"]],
    [["try", "ARGS=--remove"], ["npm run -s try -- --remove"]],
    [["plan", "ENV=dev", "ARGS=--tree"], ["npm run -s plan -- dev --tree"]],
    [["install", "ENV=edge-nvidia"], ["pulumi up --stack edge-nvidia"]],
    [
      ["install", "ENV=edge-radeon", "BUNDLE=/srv/bundle"],
      [
        "pulumi config set --stack edge-radeon --path inference-stacks:cluster.k3s.bundle /srv/bundle",
        "pulumi up --stack edge-radeon",
      ],
    ],
    [["destroy", "ENV=edge-nvidia"], ["pulumi destroy --stack edge-nvidia"]],
    [["status", "ENV=dev"], ["npm run -s status -- dev"]],
    [["smoke", "ARGS=--url https://a.example"], ["npm run -s smoke -- --url https://a.example"]],
    [["bundle", "ENV=edge-nvidia", "BUNDLE=out"], ["npm run -s bundle -- edge-nvidia --out out"]],
    [["-k", "install"], ["pulumi up --stack <environment>"]],
  ])("%s is %s", (args, commands) => {
    const run = make(["-n", ...args]);
    expect([run.status, run.stderr, run.commands]).toEqual([0, "", commands]);
  });

  it.each(targets)("%s says what it would do", (target) => {
    const { status, stdout } = make(["-n", target]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^# [A-Z].{20}/m);
  });
});

describe.runIf(hasMake)("make", () => {
  it("lists its targets and the environments", () => {
    const { status, stdout } = make([]);
    expect(status).toBe(0);
    for (const target of targets.filter((name) => name !== "use-bundle")) {
      expect(stdout).toContain(`make ${target} `);
    }
    for (const name of environmentNames()) {
      expect(stdout).toContain(` ${name}`);
    }
  });

  it.each([
    [["install"], "name an environment: make install ENV=<environment>, one of aws-prod "],
    [["destroy", "ENV=edge"], "there is no Pulumi.edge.yaml: make destroy ENV=<environment>, one of aws-prod "],
    [["destroy", "ENV=dev edge-nvidia"], "name one environment, not 2 (dev edge-nvidia): make destroy "],
    [["install", "ENV=edge-nvidia", "BUNDLE=/srv/my bundle"], "BUNDLE=/srv/my bundle has a space in it: "],
    [["bundle", "ENV=edge-nvidia", "BUNDLE=my bundle"], "BUNDLE=my bundle has a space in it: "],
    [["smoke"], 'name the address: make smoke ARGS="--url https://<hostname>"'],
    [["--no-print-directory", "install"], "name an environment: "],
  ])("%s runs nothing, and says what is missing", (args, message) => {
    const { status, stdout, stderr } = make(args);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });

  it("takes a shell's start-up file for no environment, and an exported name for one", () => {
    expect(make(["install"], { ENV: "/home/somebody/.shrc" }).stderr).toContain("name an environment: ");
    expect(make(["-n", "install"], { ENV: "dev" }).commands).toEqual(["pulumi up --stack dev"]);
  });
});
