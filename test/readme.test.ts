/** The README is the first thing that anybody tries: its configuration plans, its commands run as written. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { main as fleet } from "../cli/fleet";
import { runCommand } from "../cli/main";
import { repositoryRoot } from "../names/repository-root";
import { scripts } from "../package.json";
import { PICTURE, PICTURED, pictureText, readmeText } from "../scripts/readme";
import { here } from "./cli/fleet/here";
import { planOf, runPiped, useFolder } from "./cli/run";
import { programRun } from "./stacks/run";

const readme = readFileSync(join(repositoryRoot(), "README.md"), "utf8");
const folder = useFolder();

const blocks = [...readme.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = ""]) => text);

describe("the README's configuration", () => {
  it("is there", () => {
    expect(blocks.length).toBeGreaterThan(0);
  });

  it.each(blocks)("plans as it stands: %#", async (text) => {
    const { status, err } = await planOf(folder, text);
    expect([status, err]).toEqual([0, ""]);
  });
});

/**
 * Commands by what they need besides Node: a network, a cluster, built parts; how pins ends is what is known of them that day.
 * They are read, not run.
 */
const NEEDS_MORE = [
  "pin",
  "pins",
  "charts",
  "doctor",
  "status",
  "top",
  "rehearse",
  "smoke",
  "alert-test",
  "measure",
  "calibrate",
  "try",
  "docs",
  "e2e:setup",
  "readme",
  "test",
];

const npmCommands = [
  ...readme.matchAll(/\bnpm (?:run (?<script>\w[\w:-]*)(?: -- (?<words>[^`\n]*))?|(?<own>start|test))/g),
].map(({ groups = {} }) => ({ script: groups.script ?? groups.own ?? "", words: (groups.words ?? "").trim() }));
const commands = [...new Map(npmCommands.map((command) => [`${command.script} ${command.words}`.trim(), command]))];

describe("the README's commands", () => {
  it("are there", () => {
    expect(commands.length).toBeGreaterThan(7);
  });

  it.each(commands)("npm run %s: a script whose options exist", async (_, { script, words }) => {
    expect(Object.keys(scripts)).toContain(script);
    const file = join(repositoryRoot(), "cli", `${script}.ts`);
    if (existsSync(file)) {
      const { options }: { options: ParseArgsConfig["options"] } = await import(file);
      expect(() => parseArgs({ args: words.split(" "), options, allowPositionals: true })).not.toThrow();
    }
  });

  // A placeholder is for the reader's own environment; "demo" is the README's.
  const runnable = commands.filter(([, { script, words }]) => !NEEDS_MORE.includes(script) && !words.includes("<"));
  // In a folder of its own: what a command writes beside the clone lands there.
  const clone = join(folder, "clone");
  mkdirSync(clone);
  const demo = join(folder, "Pulumi.demo.yaml");
  writeFileSync(demo, blocks[0] ?? "");
  const argvOf = ({ script, words }: (typeof npmCommands)[number]) => {
    const [node, file, ...first] = scripts[script as keyof typeof scripts].split(" ");
    expect([node, file]).toEqual(["node", "cli/run.mjs"]);
    const own = words.split(" ").includes("demo") ? ["--config", demo] : [];
    return [...first, ...(words === "" ? [] : words.split(" ")), ...own];
  };

  // In this process, also what starts others.
  const run: typeof runCommand = (argv, io) =>
    argv[0] === "fleet" ? fleet(argv.slice(1), io, here) : runCommand(argv, io);

  const before = process.cwd();
  // A command that outlives its time must leave the folder too: the other files of this process start in it.
  afterEach(() => process.chdir(before));

  it.each(runnable)("%s ends with 0", { timeout: 240_000 }, async (_, command) => {
    process.chdir(clone);
    const { status, out, err } = await runPiped(run, argvOf(command));
    expect([status, err]).toEqual([0, ""]);
    expect(out.length).toBeGreaterThan(100);
  });

  it("npm start ends with 0 in a process of its own", () => {
    const argv = [join(repositoryRoot(), "cli/run.mjs"), ...argvOf({ script: "start", words: "" })];
    const { status, stdout, stderr } = spawnSync(process.execPath, argv, { cwd: clone, encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout.length).toBeGreaterThan(100);
  });
});

it("shows what the plan prints today: npm run readme", async () => {
  expect(await readmeText(readme)).toBe(readme);
});

it("shows the picture of today's plan: npm run readme", async () => {
  expect(pictureText(await programRun(PICTURED))).toBe(readFileSync(join(repositoryRoot(), PICTURE), "utf8"));
});

it("names no page that is not there", () => {
  const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = ""]) => path);
  expect(links.filter((path) => !existsSync(join(repositoryRoot(), path)))).toEqual([]);
});

it("has an index of all pages", () => {
  const index = readFileSync(join(repositoryRoot(), "docs/README.md"), "utf8");
  const linked = new Set([...index.matchAll(/\]\(([^)#]+)/g)].map(([, path]) => path));
  const pages = readdirSync(join(repositoryRoot(), "docs")).filter((file) => file.endsWith(".md"));
  expect(pages.filter((page) => page !== "README.md" && !linked.has(page))).toEqual([]);
  expect([...linked].filter((path) => !existsSync(join(repositoryRoot(), "docs", path ?? "")))).toEqual([]);
});
