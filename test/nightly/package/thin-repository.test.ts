import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repositoryRoot } from "../../../names/repository-root";
import { addOwnParts, thinRepository } from "../../harness/thin-repository";

/** Plans an environment in a thin repository, and prints which modules of the package the process loaded. */
const PLAN = `
const { loadPlatform } = require("inference-stacks/launch/platform.cjs");
const { sep } = require("node:path");
void (async () => {
  const platform = loadPlatform();
  await platform.ready();
  let plan = "";
  const io = { out: (text) => { plan += text; }, err: console.error, color: false };
  const status = await require("inference-stacks/cli/main").runCommand(["plan", ...process.argv.slice(2)], io);
  const inPackage = sep + "inference-stacks" + sep;
  const modules = Object.keys(require.cache).flatMap((file) => file.split(inPackage)[1] ?? []);
  const { properties } = (await platform.schema()).properties.config;
  console.log(JSON.stringify({ status, plan, modules, keys: Object.keys(properties), transformed: process.env.TRANSFORMED }));
})();
`;

interface Planned {
  readonly status: number;
  readonly plan: string;
  readonly modules: readonly string[];
  /** Of the schema of environments. */
  readonly keys: readonly string[];
  /** Name of the resource that the platform's transform has seen. */
  readonly transformed?: string;
}

// Three processes that each load the program.
describe("a thin repository", { timeout: 180_000 }, () => {
  let top = "";
  let project = "";
  beforeAll(() => {
    top = mkdtempSync(join(tmpdir(), "thin-repository-"));
    project = thinRepository(join(top, "acme-inference"), ["dev"]);
    writeFileSync(join(project, "plan.cjs"), PLAN);
  }, 120_000);
  afterAll(() => rmSync(top, { recursive: true, force: true }));

  const plan = (...args: string[]): Planned =>
    JSON.parse(execFileSync(process.execPath, ["plan.cjs", ...args], { cwd: project, encoding: "utf8" }));

  it("plans what this repository plans, byte for byte", () => {
    const here = [join(repositoryRoot(), "cli/run.mjs"), "plan", "dev", "--json"];
    expect(plan("dev", "--json").plan).toBe(execFileSync(process.execPath, here, { encoding: "utf8" }));
  });

  describe("with few parts of ours, and some of its own", () => {
    let planned: Planned;
    beforeAll(() => {
      addOwnParts(project);
      planned = plan("own", "--resources");
    }, 120_000);

    it("plans with them", () => {
      expect(planned.status, planned.plan).toBe(0);
      expect(planned.transformed).toBe("platform-notes");
      expect(planned.keys).toEqual(expect.arrayContaining(["inference-stacks:notes", "inference-stacks:modelControl"]));
      expect(planned.keys).not.toContain("inference-stacks:beta9");
    });

    it("sizes its model, and serves it with its engine", () => {
      expect(planned.plan).toMatch(/Phantom 1\.2\.3/);
      expect(planned.plan).toContain("inference:serving:PhantomServer");
    });

    it("loads nothing of what it leaves out", () => {
      expect(planned.modules).toContain("engines/vllm/index.js");
      const leftOut = /\b(beta9|portainer|rancher|open-webui|tgi|triton|ray)[/-]|cli\/(fleet|measure)/;
      expect(planned.modules.filter((module) => leftOut.test(module))).toEqual([]);
    });
  });
});
