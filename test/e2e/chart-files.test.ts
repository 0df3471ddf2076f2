import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { installedCharts } from "../../catalog/chart-images";
import { chart } from "../../catalog/charts";
import { LOCK_FILE } from "../../charts/lock";
import { HELM_RELEASE } from "../../kubernetes/resource-types";
import { kindsOf, recordedObjects } from "../../rehearsal/cluster/recorded-objects";
import { sha256 } from "../bundle/registry";
import { FakeRepositories } from "../charts/fake-repositories";
import { readEnvironment } from "./engine/environment-file";
import { copySources, languageHostFolder } from "./engine/project";
import { providerArguments } from "./engine/provider-process";
import { pulumi, type Run } from "./engine/pulumi";
import { Surroundings } from "./engine/surroundings";
import { sharedBySuite } from "./shared-by-suite";

/** Where Pulumi.yaml's program, and so the provider, has its working directory. */
const DIRECTORY = "stacks";

/** A clone of the repository whose catalogue names repositories of this machine, and Pulumi's command line with a provider that it starts itself. */
class Clone {
  private constructor(
    readonly surroundings: Surroundings,
    readonly repositories: FakeRepositories,
    readonly project: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  static async start(): Promise<Clone> {
    const surroundings = await Surroundings.start("dev", readEnvironment("dev"));
    const { plane } = surroundings;
    const repositories = await FakeRepositories.start(installedCharts.map(chart));
    const project = copySources(plane.folder);
    writeCatalogue(project, repositories);
    const file = join(project, "Pulumi.dev.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace(/^ +inference-stacks:charts: .*\n/m, ""));
    const env = {
      ...surroundings.env,
      PATH: [surroundings.env.PATH, languageHostFolder(plane.folder), providerFolder(plane.folder)].join(":"),
      PULUMI_DEBUG_PROVIDERS: String(surroundings.env.PULUMI_DEBUG_PROVIDERS).replace(/kubernetes:\d+,?/, ""),
      E2E_KINDS: [...kindsOf(recordedObjects(surroundings.offline.recording.resources))].join(","),
      XDG_CACHE_HOME: join(plane.folder, "cache"),
    };
    const clone = new Clone(surroundings, repositories, project, env);
    const { status, output } = await clone.run("stack", "init");
    expect(status, output).toBe(0);
    return clone;
  }

  run(...args: string[]): Promise<Run> {
    return pulumi([...args, "--stack", "dev"], { cwd: this.project, env: this.env });
  }

  placed(name: string): string {
    const digest = sha256(this.repositories.archives.get(name) ?? Buffer.alloc(0)).slice(0, 12);
    return join(this.project, DIRECTORY, ".charts", `${name}-${chart(name).version}-${digest}.tgz`);
  }

  cached(name: string): string {
    const content = this.repositories.archives.get(name) ?? Buffer.alloc(0);
    return join(String(this.env.XDG_CACHE_HOME), "inference-stacks", "charts", `${sha256(content)}.tgz`);
  }

  async stop(): Promise<void> {
    await this.repositories.stop();
    await this.surroundings.stop();
  }
}

function writeCatalogue(project: string, { charts }: FakeRepositories): void {
  const file = join(project, "catalog", "charts.json");
  const table = JSON.parse(readFileSync(file, "utf8"));
  const rows = table.charts.map((row: { name: string }) => charts.find(({ name }) => name === row.name) ?? row);
  writeFileSync(file, JSON.stringify({ ...table, charts: rows }));
}

/** A folder for PATH with the tests' provider as the engine starts it: in the directory that it chooses. */
function providerFolder(folder: string): string {
  const bin = join(folder, "own-provider");
  mkdirSync(bin);
  const launcher = join(bin, "pulumi-resource-kubernetes");
  const args = providerArguments(join(__dirname, "engine", "providers", "kubernetes.ts"));
  // Parts of these tests are in this process's own cache.
  const { XDG_CACHE_HOME } = process.env;
  const cache = XDG_CACHE_HOME === undefined ? "unset XDG_CACHE_HOME" : `export XDG_CACHE_HOME="${XDG_CACHE_HOME}"`;
  writeFileSync(
    launcher,
    `#!/bin/sh\n${cache}\nexec "${process.execPath}" ${args.map((arg) => `"${arg}"`).join(" ")} "$@"\n`,
  );
  chmodSync(launcher, 0o755);
  return bin;
}

interface Release {
  readonly type: string;
  readonly inputs: { readonly chart: string; readonly version: string };
}

describe("charts as files", { timeout: 300_000 }, () => {
  const clone = sharedBySuite(() => Clone.start());
  const releases: Release[] = [];

  it("are fetched by the first preview, which says so", async () => {
    const { status, output } = await clone().run("preview");
    expect(status, output).toBe(0);
    expect(output).toContain(`fetched ${installedCharts.length} charts`);
    expect(output).toContain(`${LOCK_FILE} has the digests of ${installedCharts.length} more charts: commit it`);
    const lock = JSON.parse(readFileSync(join(clone().project, LOCK_FILE), "utf8"));
    expect(Object.keys(lock.charts)).toEqual([...installedCharts].sort());
  });

  it("are loaded by a provider in its own working directory while no repository answers", async () => {
    await clone().repositories.stop();
    const asked = clone().repositories.asked.length;
    const { status, output } = await clone().run("up", "--yes");
    expect(status, output).toBe(0);
    expect(clone().repositories.asked).toHaveLength(asked);
    const exported = await clone().run("stack", "export");
    const { deployment } = JSON.parse(exported.output);
    releases.push(...deployment.resources.filter(({ type }: Release) => type === HELM_RELEASE));
    expect(releases.length).toBeGreaterThan(3);
  });

  it("stand in the state by paths that are the same on every machine", () => {
    expect(releases.length).toBeGreaterThan(3);
    for (const { inputs } of releases) {
      expect(inputs.chart).toMatch(/^\.\/\.charts\/[\w.-]+\.tgz$/);
      expect(inputs).not.toHaveProperty("repositoryOpts");
    }
  });

  it("show no change in another checkout, from the cache and the lock alone", async () => {
    rmSync(join(clone().project, DIRECTORY, ".charts"), { recursive: true });
    const { status, output } = await clone().run("preview", "--expect-no-changes");
    expect(status, output).toBe(0);
    expect(output).not.toContain("fetched");
  });

  it("are put right where a byte changed, and refused where there is no right copy", async () => {
    const right = readFileSync(clone().placed("cert-manager"));
    const wrong = Buffer.from(right);
    wrong[30] = (wrong[30] ?? 0) ^ 1;
    writeFileSync(clone().placed("cert-manager"), wrong);
    const repaired = await clone().run("preview", "--expect-no-changes");
    expect(repaired.status, repaired.output).toBe(0);
    expect(readFileSync(clone().placed("cert-manager")).equals(right)).toBe(true);
    writeFileSync(clone().placed("cert-manager"), wrong);
    writeFileSync(clone().cached("cert-manager"), wrong);
    const { status, output } = await clone().run("preview");
    expect(status).not.toBe(0);
    expect(output).toMatch(/chart cert-manager \S+ is not in .*does not give it.*\n.*Fix: run npm run charts/);
    expect(output).not.toMatch(/^\s+at .*:\d+:\d+/m);
    writeFileSync(clone().cached("cert-manager"), right);
  });

  it("that this platform does not install keep nobody back", async () => {
    const other = "beta9-chart";
    expect(releases.some(({ inputs }) => inputs.chart.includes(other))).toBe(false);
    rmSync(clone().placed(other));
    rmSync(clone().cached(other));
    const { status, output } = await clone().run("preview", "--expect-no-changes");
    expect(status, output).toBe(0);
    expect(existsSync(clone().placed(other))).toBe(false);
  });

  it("leave releases in place where an environment goes back to repositories, and comes again", async () => {
    await clone().run("config", "set", "inference-stacks:charts", "repository");
    const { status, output } = await clone().run("up", "--yes");
    expect(status, output).toBe(0);
    expect(output).toContain(`~ ${releases.length} updated`);
    expect(output).not.toMatch(/replaced|deleted/);
    await clone().run("config", "rm", "inference-stacks:charts");
    const back = await clone().run("preview");
    expect(back.output).toContain(`~ ${releases.length} to update`);
    expect(back.output).not.toMatch(/to replace|to delete|to create/);
  });
});
