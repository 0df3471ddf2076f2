/** `npm run render -- --all`. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { OpenedEnvironment, Problem } from "../../cli/read-environment";
import { type AllArguments, type EnvironmentSource, renderAll } from "../../cli/render/all";
import { type Rendering, renderEnvironment } from "../../render/index";
import { parseEnvironmentFile } from "../../stacks/config";
import { type CommandResult, laptop, onA10, runPiped, useFolder } from "../cli/run";
import { type Content, environmentText } from "../stacks/texts";
import { contentOf, render } from "./run";

const folder = useFolder();

const renderings = new Map<string, Promise<Rendering>>();

/** Renders equal environments once: most tests are about the folders. */
const renderedOnce: typeof renderEnvironment = (environment, options) => {
  const { name, file } = environment;
  const key = JSON.stringify([name, file.config, options.secretStore]);
  const found = renderings.get(key) ?? renderEnvironment(environment, options);
  renderings.set(key, found);
  return found;
};

/** Environments by name, in place of the repository's. */
function source(contents: Readonly<Record<string, Content>>, render: typeof renderEnvironment): EnvironmentSource {
  const open = (name: string): OpenedEnvironment | Problem => {
    const file = parseEnvironmentFile(environmentText(contents[name] ?? {}));
    const fileName = `Pulumi.${name}.yaml`;
    return file.ok
      ? { name, file, fileName, baseDirectory: folder }
      : { problem: `${fileName} is wrong: ${file.problems.map(({ path }) => path).join(", ")}` };
  };
  return { names: () => Object.keys(contents).sort(), open, render };
}

function all(
  out: string,
  contents: Readonly<Record<string, Content>>,
  report?: string,
  rendering = renderedOnce,
): Promise<CommandResult> {
  const args: AllArguments = { all: true, out, report, outputs: undefined, secretStore: "store", json: false };
  return runPiped((_, io) => renderAll(args, io, source(contents, rendering)), []);
}

const twoModels = { ...laptop, models: { ...laptop.models, second: { ...laptop.models.chat, servedName: "second" } } };
const tooDear = onA10({}, { budget: { monthlyUsd: 100 } });

describe("all environments at once", () => {
  const out = join(folder, "gitops");
  const report = join(folder, "report.md");
  const text = () => readFileSync(report, "utf8");

  it("are written into a folder of their name each, with a report of all", async () => {
    const { status, out: said, err } = await all(out, { one: laptop, two: twoModels }, report);
    expect([status, err]).toEqual([0, ""]);
    expect(said).toMatch(/✓ one +\d+ objects +\d+ added · 0 changed · 0 removed · 0 unchanged/);
    expect(readdirSync(out).sort()).toEqual(["one", "two"]);
    expect(text()).toMatch(/^Render one, two\n\n## one\n\n- Cost: 0\.00 USD\/month/);
    expect(text()).toContain("- Model `second` added: ollama on laptop, 1 replica\n");
  });

  it("do not change when nothing changed, and then there is nothing to report", async () => {
    const { out: said } = await all(out, { one: laptop, two: twoModels }, report, renderEnvironment);
    expect([said, text()]).toEqual([expect.not.stringMatching(/[1-9]\d* (added|changed|removed)/), ""]);
  });

  it("change as a whole: plans and objects that differ are in the report, and what is gone is removed", async () => {
    mkdirSync(join(out, "notes"));
    writeFileSync(join(out, "notes", "mine.txt"), "mine");
    const { status, out: said } = await all(out, { one: twoModels }, report);
    expect([status, said]).toEqual([0, expect.stringContaining("− two removed: there is no such environment")]);
    expect(readdirSync(out).sort()).toEqual(["notes", "one"]);
    expect(text()).toMatch(/^Render one, two\n/);
    expect(text()).toContain("- Model `second` added: ollama on laptop, 1 replica\n");
    expect(text()).toMatch(/- Objects added: \d+ \(.*`model-second\/statefulset-model-second`/);
    expect(text()).toMatch(/- Objects changed: \d+ \(.*`inference-system\/configmap-inference-plan`/);
    expect(text()).toContain("## two\n\nThe environment is gone");
  });

  it("are not written where one is refused: all problems are reported, with the highest status", async () => {
    const before = contentOf(join(out, "one"));
    mkdirSync(join(out, "taken"));
    writeFileSync(join(out, "taken", "mine.txt"), "mine");
    const wrong = { ...laptop, gateway: { ...laptop.gateway, exposure: "Everywhere" } };
    const contents = { dear: tooDear, one: laptop, taken: laptop, wrong };
    const { status, out: said, err } = await all(out, contents, report);
    expect([status, said]).toEqual([2, ""]);
    expect(err).toMatch(/^Nothing was written: 3 of the environments cannot be rendered\.\n\ndear\n✗ monthly-budget /);
    expect(err).toContain("files that were not rendered: name an empty or new folder");
    expect(err).toContain("wrong\nPulumi.wrong.yaml is wrong: gateway.exposure\n");
    expect(contentOf(join(out, "one"))).toEqual(before);
    expect(existsSync(join(out, "dear"))).toBe(false);
    expect((await all(join(folder, "other"), { dear: tooDear })).status).toBe(1);
  });

  it("leaves an environment without Kubernetes objects out, and a folder with files of the user in place", async () => {
    const bare = {
      ...laptop,
      scope: "cluster",
      cluster: { kind: "local", provision: "create", local: { tool: "k3d" } },
    };
    const place = join(folder, "left");
    expect((await all(place, { one: laptop })).status).toBe(0);
    writeFileSync(join(place, "one", "patch.yaml"), "mine");
    const refused = await all(place, { bare });
    expect([refused.status, refused.err]).toEqual([2, expect.stringContaining("patch.yaml. Move them away")]);
    const skipped = await all(join(folder, "skipped"), { bare });
    expect([skipped.status, skipped.out]).toEqual([0, expect.stringMatching(/– bare skipped: /)]);
    expect((await all(join(folder, "reported"), { bare, one: laptop }, report)).status).toBe(0);
    expect(text()).toMatch(/^Render one\n[\s\S]*\n## Not rendered\n\n- `bare`: \S/);
  });
});

it("nothing is removed where no environment is found, and nothing is written without its report", async () => {
  const place = join(folder, "kept");
  expect((await all(place, { one: laptop })).status).toBe(0);
  expect([(await all(place, {})).status, readdirSync(place)]).toEqual([2, ["one"]]);
  const { status, err } = await all(place, { one: twoModels }, join(folder, "no-such-folder", "report.md"));
  expect([status, err]).toEqual([2, expect.stringContaining("no-such-folder")]);
  expect(existsSync(join(place, "one", "model-second"))).toBe(false);
});

it("what a killed rendering left is ended: the folder is back, and its work is gone", async () => {
  const place = join(folder, "killed");
  expect((await all(place, { one: laptop })).status).toBe(0);
  const work = join(place, ".one-a1B2c3");
  mkdirSync(join(work, "new"), { recursive: true });
  renameSync(join(place, "one"), join(work, "old"));
  mkdirSync(join(place, ".one-notes"));
  writeFileSync(join(place, ".one-notes", "mine.txt"), "mine");
  const { status, out } = await all(place, { one: laptop });
  expect([status, out]).toEqual([0, expect.stringMatching(/ 0 added · 0 changed · 0 removed · [1-9]\d* unchanged/)]);
  expect(readdirSync(place).sort()).toEqual([".one-notes", "one"]);
});

describe("places that Argo CD follows", () => {
  const gitops = (path: string) => ({
    engine: "argo-cd",
    acknowledgeClusterAdmin: true,
    repository: "https://git.example.com/platform/gitops.git",
    path,
  });

  it("are each environment's own, and the folder that is written", async () => {
    const at = (path: string) => ({ ...laptop, gitops: gitops(path) });
    const { status, err } = await all(join(folder, "places"), { one: at("clusters/one"), two: at("clusters/one") });
    expect([status, err.match(/✗ gitops\.path/g)]).toEqual([1, expect.arrayContaining(["✗ gitops.path"])]);
    const other = await all(join(folder, "places"), { one: at("clusters/two") });
    expect([other.status, other.err]).toEqual([1, expect.stringContaining("ends in /one")]);
    expect((await all(join(folder, "places"), { "one.eu": at("clusters/one.eu") })).status).toBe(0);
  });
});

describe("the command line", () => {
  it.each([
    { argv: ["--all"], says: "--out DIR is missing" },
    { argv: ["--all", "dev", "--out", "x"], says: "--all takes every environment: name none" },
    {
      argv: ["--all", "--config", "x", "--out", "x"],
      says: "--all takes every environment: name none, and no --config",
    },
    { argv: ["dev", "--out", "x", "--report", "x"], says: "--report FILE is for --all" },
    { argv: ["--all", "--out", "x", "--html"], says: "Unknown option '--html'" },
  ])("$argv: bad input", async ({ argv, says }) => {
    const { status, out, err } = await render(...argv);
    expect([status, out, err]).toEqual([2, "", expect.stringContaining(says)]);
  });
});
