import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { installedCharts } from "../../../catalog/chart-images";
import { chart } from "../../../catalog/charts";
import { LOCK_FILE } from "../../../charts/lock";
import { kindsOf, recordedObjects } from "../../../rehearsal/cluster/recorded-objects";
import { requirePart } from "../../../rehearsal/parts/find";
import { sha256 } from "../../bundle/registry";
import { FakeRepositories } from "../../charts/fake-repositories";
import { readEnvironment } from "./environment-file";
import { copySources, languageHostFolder } from "./project";
import { providerArguments } from "./provider-process";
import { pulumi, type Run } from "./pulumi";
import { Surroundings } from "./surroundings";

/** Where Pulumi.yaml's program, and so the provider, has its working directory. */
export const DIRECTORY = "stacks";

/** A clone of the repository whose catalogue names repositories of this machine, and Pulumi's command line with a provider that it starts itself. */
export class ChartClone {
  private constructor(
    readonly surroundings: Surroundings,
    readonly repositories: FakeRepositories,
    readonly project: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  static async start(): Promise<ChartClone> {
    const surroundings = await Surroundings.start("dev", readEnvironment("dev"));
    const { plane } = surroundings;
    const repositories = await FakeRepositories.start(installedCharts.map(chart));
    const project = copySources(plane.folder);
    writeCatalogue(project, repositories);
    const file = join(project, "Pulumi.dev.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace(/^ +inference-stacks:charts: .*\n/m, ""));
    const programs = [languageHostFolder(plane.folder), providerFolder(plane.folder), dirname(requirePart("kubectl"))];
    const env = {
      ...surroundings.env,
      PATH: [surroundings.env.PATH, ...programs].join(":"),
      PULUMI_DEBUG_PROVIDERS: String(surroundings.env.PULUMI_DEBUG_PROVIDERS).replace(/kubernetes:\d+,?/, ""),
      E2E_KINDS: [...kindsOf(recordedObjects(surroundings.offline.recording.resources))].join(","),
      XDG_CACHE_HOME: join(plane.folder, "cache"),
    };
    const clone = new ChartClone(surroundings, repositories, project, env);
    await clone.must("stack", "init");
    return clone;
  }

  run(...args: string[]): Promise<Run> {
    return pulumi([...args, "--stack", "dev"], { cwd: this.project, env: this.env });
  }

  /** @throws Error with the output of a command that fails. */
  async must(...args: string[]): Promise<Run> {
    const run = await this.run(...args);
    if (run.status !== 0) {
      throw new Error(`pulumi ${args.join(" ")}:\n${run.output}`);
    }
    return run;
  }

  placed(name: string): string {
    const digest = sha256(this.repositories.archives.get(name) ?? Buffer.alloc(0)).slice(0, 12);
    return join(this.project, DIRECTORY, ".charts", `${name}-${chart(name).version}-${digest}.tgz`);
  }

  cached(name: string): string {
    const content = this.repositories.archives.get(name) ?? Buffer.alloc(0);
    return join(String(this.env.XDG_CACHE_HOME), "inference-stacks", "charts", `${sha256(content)}.tgz`);
  }

  /** Takes a chart out of the lock, as a user does who accepts that it was published anew. */
  forget(name: string): void {
    const file = join(this.project, LOCK_FILE);
    if (existsSync(file)) {
      const lock = JSON.parse(readFileSync(file, "utf8"));
      delete lock.charts[name];
      writeFileSync(file, JSON.stringify(lock));
    }
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
  const args = providerArguments(join(__dirname, "providers", "kubernetes.ts"));
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
