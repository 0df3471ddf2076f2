import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repositoryRoot } from "../../names/repository-root";
import { readEnvironment } from "./engine/environment-file";
import { copyProject, languageHostFolder } from "./engine/project";
import { pulumi, type Run } from "./engine/pulumi";
import { Surroundings } from "./engine/surroundings";

const POLICIES = ["--policy-pack", join(repositoryRoot(), "policies")];

const PROJECT = readFileSync(join(repositoryRoot(), "Pulumi.yaml"), "utf8");
const OPEN_SERVICE = {
  metadata: { name: "open", namespace: "shop" },
  spec: { type: "LoadBalancer", ports: [{ port: 80 }] },
};
/** A program that opens a Service to the world. @param options of the Service, as JavaScript. */
const publicService = (options: string) => `
const kubernetes = require("@pulumi/kubernetes");
new kubernetes.core.v1.Service("open", ${JSON.stringify(OPEN_SERVICE)}, ${options});
`;

describe("the pulumi command line in the repository", { timeout: 300_000 }, () => {
  let surroundings: Surroundings | undefined;
  let previewSeconds = 0;
  let cwd = "";
  let env: Record<string, string> = {};
  const run = (...args: string[]): Promise<Run> => pulumi([...args, "--stack", "dev"], { cwd, env });

  beforeAll(async () => {
    surroundings = await Surroundings.start("dev", readEnvironment("dev"));
    cwd = copyProject(surroundings.plane.folder);
    env = { ...surroundings.env, PATH: `${surroundings.env.PATH}:${languageHostFolder(surroundings.plane.folder)}` };
    const { status, output } = await pulumi(["stack", "init", "dev"], { cwd, env });
    expect(status, output).toBe(0);
  });
  afterAll(() => surroundings?.stop());

  it("previews dev from Pulumi.yaml and Pulumi.dev.yaml", async () => {
    const { status, output, seconds } = await run("preview");
    previewSeconds = seconds;
    expect(status, output).toBe(0);
    expect(output).toContain(`+ ${surroundings?.offline.recording.resources.length} to create`);
  });

  it("previews dev with the policy pack, which passes it", async () => {
    const { status, output } = await run("preview", ...POLICIES);
    expect(status, output).toBe(0);
    expect(output).toMatch(/✅ inference-stacks@v\d+\.\d+\.\d+/);
  });

  async function previewOf(program: string): Promise<Run> {
    writeFileSync(join(cwd, "public-service.cjs"), program);
    writeFileSync(join(cwd, "Pulumi.yaml"), PROJECT.replace(/^main: .*$/m, "main: public-service.cjs"));
    try {
      return await run("preview", ...POLICIES);
    } finally {
      writeFileSync(join(cwd, "Pulumi.yaml"), PROJECT);
    }
  }

  it("stops a program that a mandatory policy forbids", async () => {
    const { status, output } = await previewOf(publicService('{ provider: new kubernetes.Provider("here") }'));
    expect(output).toMatch(/mandatory.*no-public-endpoint/);
    expect(status).not.toBe(0);
  });

  it("refuses a resource that would go to whatever cluster the kubeconfig of the machine names", async () => {
    const { status, output } = await previewOf(publicService("{}"));
    expect(output).toMatch(/Default provider for 'kubernetes' disabled/);
    expect(status).not.toBe(0);
  });

  it("says what is wrong with a config, without a stack trace, and creates nothing", async () => {
    await run("config", "set", "--path", "inference-stacks:gateway.exposure", "Everywhere");
    const { status, output, seconds } = await run("preview");
    expect(status).not.toBe(0);
    // Less work than a whole preview; the SDK used to spend ten seconds on the error's stack.
    expect(seconds).toBeLessThan(previewSeconds + 5);
    expect(output).toMatch(/gateway\.exposure\s+value\s+"Everywhere"\s+allowed\s+one of LoadBalancer, ClusterIP/);
    expect(output).not.toMatch(/^\s+at .*:\d+:\d+/m);
    await run("config", "set", "--path", "inference-stacks:gateway.exposure", "ClusterIP");
  });

  it("makes dev with the policy pack watching, and destroys it", async () => {
    const up = await run("up", "--yes", "--skip-preview", ...POLICIES);
    expect(up.status, up.output).toBe(0);
    expect(up.output).toContain(`+ ${surroundings?.offline.recording.resources.length} created`);
    const destroy = await run("destroy", "--yes", "--skip-preview");
    expect(destroy.status, destroy.output).toBe(0);
  });
});
