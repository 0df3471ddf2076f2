import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import * as automation from "@pulumi/pulumi/automation";
import { Program } from "../../../rehearsal/cluster/lifeline";
import { requirePart } from "../../../rehearsal/parts/find";
import { formatProblems, parseEnvironmentFile } from "../../../stacks/config";
import { configMap, type EnvironmentFile } from "../../e2e/engine/environment-file";
import { program } from "../../e2e/engine/test-bed";
import { environmentWith } from "../environment";

/** Numbers of models that make about 250, 1,000 and 5,000 resources: the platform itself has more than 200. */
const MODELS = [1, 28, 176] as const;

interface Setting {
  readonly env: Readonly<Record<string, string>>;
  /** The largest number of models that is measured. */
  readonly upTo: number;
}

/**
 * How the engine keeps its state while it works, by the variables that say so. To write the whole state after every step
 * grows with the square of the resources: 5,000 of them would take hours.
 */
const KEEPING = {
  "state after every step": { env: {}, upTo: 28 },
  "state after every step, compressed": { env: { PULUMI_DIY_BACKEND_ZSTD: "true" }, upTo: 28 },
  "state at the end only": { env: { PULUMI_SKIP_CHECKPOINTS: "true" }, upTo: 176 },
} satisfies Readonly<Record<string, Setting>>;
export type Keeping = keyof typeof KEEPING;

/** Measurements of one size and one way to keep state, one per round. */
export interface DeploymentGrowth {
  readonly keeping: Keeping;
  readonly models: number;
  readonly resources: number;
  /** The program alone, in a preview of an empty stack: registering every resource, no state written. */
  readonly previewSeconds: readonly number[];
  readonly upSeconds: readonly number[];
  readonly noOpUpSeconds: readonly number[];
  /** The state file as the backend keeps it. */
  readonly stateBytes: number;
}

/**
 * Preview, `up`, and `up` again of generated environments, on a file backend, with a provider that answers at once.
 *
 * @throws Error that names the command which installs a missing part.
 */
export async function measureDeployments(
  rounds: number,
  progress: (text: string) => void,
): Promise<readonly DeploymentGrowth[]> {
  const results: DeploymentGrowth[] = [];
  for (const models of MODELS) {
    const file = parseEnvironmentFile(environmentWith(models));
    if (!file.ok) throw new Error(formatProblems(file.problems, "the generated environment"));
    for (const keeping of Object.keys(KEEPING) as Keeping[]) {
      const { env, upTo } = KEEPING[keeping];
      if (models > upTo) continue;
      const runs: Deployment[] = [];
      for (let round = 1; round <= rounds; round++) {
        progress(`round ${round} of ${rounds}: ${models} models, ${keeping}`);
        runs.push(await measureDeployment(file, env));
      }
      const [first] = runs;
      if (first === undefined) continue;
      results.push({
        keeping,
        models,
        resources: first.resources,
        previewSeconds: runs.map((run) => run.previewSeconds),
        upSeconds: runs.map((run) => run.upSeconds),
        noOpUpSeconds: runs.map((run) => run.noOpUpSeconds),
        stateBytes: first.stateBytes,
      });
    }
  }
  return results;
}

interface Deployment {
  readonly resources: number;
  readonly previewSeconds: number;
  readonly upSeconds: number;
  readonly noOpUpSeconds: number;
  readonly stateBytes: number;
}

async function measureDeployment(file: EnvironmentFile, env: Readonly<Record<string, string>>): Promise<Deployment> {
  const folder = mkdtempSync(join(tmpdir(), "inference-stacks-bench-"));
  const providers = [startProvider(folder, "kubernetes"), startProvider(folder, "random")];
  try {
    const ports = await Promise.all(providers.map(portOf));
    const pulumi = dirname(requirePart("pulumi"));
    // The Automation API looks for the command line on this process's own PATH.
    if (!process.env.PATH?.startsWith(pulumi)) process.env.PATH = `${pulumi}:${process.env.PATH}`;
    const stack = await automation.LocalWorkspace.createStack(
      { projectName: "inference-stacks", stackName: "bench", program: () => program("bench") },
      {
        pulumiHome: join(folder, "home"),
        envVars: {
          PULUMI_BACKEND_URL: `file://${folder}`,
          PULUMI_CONFIG_PASSPHRASE: "bench",
          PULUMI_DEBUG_PROVIDERS: `kubernetes:${ports[0]},random:${ports[1]}`,
          PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
          PULUMI_SKIP_UPDATE_CHECK: "true",
          ...env,
        },
      },
    );
    await stack.setAllConfig(configMap(file));
    const previewSeconds = await timed(() => stack.preview());
    let created = 0;
    const upSeconds = await timed(async () => {
      const { summary } = await stack.up();
      created = summary.resourceChanges?.create ?? 0;
    });
    let same = 0;
    const noOpUpSeconds = await timed(async () => {
      const { summary } = await stack.up();
      same = summary.resourceChanges?.same ?? 0;
    });
    if (created === 0 || same !== created) {
      throw new Error(`the first up created ${created} resources, and the second left ${same} as they were`);
    }
    return { resources: created, previewSeconds, upSeconds, noOpUpSeconds, stateBytes: stateBytes(folder) };
  } finally {
    await Promise.all(providers.map((provider) => provider.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

function startProvider(folder: string, name: string): Program {
  const file = join(__dirname, "recording-provider.ts");
  const args = ["--import", pathToFileURL(require.resolve("tsx")).href, file];
  return new Program(process.execPath, args, join(folder, `${name}.log`));
}

function portOf(provider: Program): Promise<number> {
  return provider.ready(async () => {
    const port = /^(\d+)$/m.exec(provider.output())?.[1];
    return port === undefined ? undefined : Number(port);
  });
}

function stateBytes(folder: string): number {
  const stacks = join(folder, ".pulumi", "stacks", "inference-stacks");
  const file = readdirSync(stacks).find((name) => /^bench\.json(\.zst)?$/.test(name));
  if (file === undefined) throw new Error(`no state file in ${stacks}`);
  return statSync(join(stacks, file)).size;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}
