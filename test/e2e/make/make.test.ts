/** What each target of the Makefile runs, and what it says where something is missing, by the real make. */
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { environmentNames } from "../../../cli/environments";
import { repositoryRoot } from "../../../names/repository-root";
import { requirePart } from "../../../rehearsal/parts/find";
import { targets } from "../../makefile";

const MAKE = requirePart("make");

function make(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { MAKEFLAGS: _, MAKELEVEL: __, ENV: ___, PULUMI_CONFIG_PASSPHRASE: ____, ...rest } = process.env;
  const { status, stdout, stderr } = spawnSync(MAKE, [...args], {
    cwd: repositoryRoot(),
    encoding: "utf8",
    env: { ...rest, ...env },
  });
  const commands = stdout.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return { status, stdout, stderr, commands: commands.map((line) => line.trim()) };
}

describe("make -n", () => {
  it.each([
    [["try"], ["npm run -s try --"]],
    [["try", "ARGS=--remove"], ["npm run -s try -- --remove"]],
    [["plan", "ENV=dev", "ARGS=--tree"], ["npm run -s plan -- dev --tree"]],
    [
      ["install", "ENV=edge-nvidia"],
      ["pulumi up --stack edge-nvidia --policy-pack policies", "npm run -s smoke -- edge-nvidia"],
    ],
    // Options are for the deployment alone.
    [
      ["install", "ENV=edge-nvidia", "ARGS=--yes"],
      ["pulumi up --stack edge-nvidia --policy-pack policies --yes", "npm run -s smoke -- edge-nvidia"],
    ],
    [["up", "ENV=edge-nvidia"], ["pulumi up --stack edge-nvidia --policy-pack policies"]],
    [
      ["install", "ENV=edge-radeon", "BUNDLE=/srv/bundle"],
      [
        "pulumi config set --stack edge-radeon --path inference-stacks:cluster.k3s.bundle /srv/bundle",
        "pulumi up --stack edge-radeon --policy-pack policies",
        "npm run -s smoke -- edge-radeon",
      ],
    ],
    [["destroy", "ENV=edge-nvidia"], ["pulumi destroy --stack edge-nvidia"]],
    [["status", "ENV=dev"], ["npm run -s status -- dev"]],
    [["smoke", "ARGS=--url https://a.example"], ["npm run -s smoke -- --url https://a.example"]],
    [["smoke", "ENV=dev", "ARGS=--json"], ["npm run -s smoke -- dev --json"]],
    [["bundle", "ENV=edge-nvidia", "BUNDLE=out"], ["npm run -s bundle -- edge-nvidia --out out"]],
    [
      ["-k", "install"],
      ["pulumi up --stack <environment> --policy-pack policies", "npm run -s smoke -- <environment>"],
    ],
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

describe("make", () => {
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
    [["smoke"], 'name an environment, or the address: make smoke ENV=<environment>, or make smoke ARGS="--url '],
    [["--no-print-directory", "install"], "name an environment: "],
  ])("%s runs nothing, and says what is missing", (args, message) => {
    const { status, stdout, stderr } = make(args);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });

  it("takes a shell's start-up file for no environment, and an exported name for one", () => {
    expect(make(["install"], { ENV: "/home/somebody/.shrc" }).stderr).toContain("name an environment: ");
    expect(make(["-n", "install"], { ENV: "dev" }).commands).toEqual([
      "pulumi up --stack dev --policy-pack policies",
      "npm run -s smoke -- dev",
    ]);
  });
});
