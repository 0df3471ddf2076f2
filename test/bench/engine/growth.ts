import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as automation from "@pulumi/pulumi/automation";
import { Program } from "../../../rehearsal/cluster/lifeline";
import { formatProblems, parseEnvironmentFile } from "../../../stacks/config";
import { createStack } from "../../e2e/engine/automation-stack";
import { engineVariables } from "../../e2e/engine/engine-variables";
import type { EnvironmentFile } from "../../e2e/engine/environment-file";
import { providerArguments, providerPort } from "../../e2e/engine/provider-process";
import { environmentWith } from "../environment";
import { type Extent, sizesWithin } from "../extent";
import { timed } from "../stopwatch";

/** Numbers of models that make about 200, 1,000 and 5,000 resources: the platform itself has more than 100. */
const MODELS = [1, 28, 176] as const;

interface Setting {
  readonly env: Readonly<Record<string, string>>;
  /** Numbers of models that are measured. */
  readonly models: readonly number[];
}

/**
 * How the engine keeps its state while it works, by the variables that say so. To write the whole state after every step
 * grows with the square of the resources: 5,000 of them would take hours.
 */
const KEEPING = {
  "state after every step": { env: {}, models: [1, 28] },
  "state after every step, compressed": { env: { PULUMI_DIY_BACKEND_ZSTD: "true" }, models: [1, 28] },
  "state at the end only": { env: { PULUMI_SKIP_CHECKPOINTS: "true" }, models: MODELS },
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
  extent: Extent,
  progress: (text: string) => void,
): Promise<readonly DeploymentGrowth[]> {
  const rounds = extent.growth;
  const results: DeploymentGrowth[] = [];
  for (const models of MODELS) {
    const file = parseEnvironmentFile(environmentWith(models));
    if (!file.ok) {
      throw new Error(formatProblems(file.problems, "the generated environment"));
    }
    for (const keeping of Object.keys(KEEPING) as Keeping[]) {
      const { env, models: sizes } = KEEPING[keeping];
      if (!sizesWithin(extent, sizes).includes(models)) {
        continue;
      }
      const runs: Deployment[] = [];
      for (let round = 1; round <= rounds; round++) {
        progress(`round ${round} of ${rounds}: ${models} models, ${keeping}`);
        runs.push(await measureDeployment(file, env));
      }
      const [first] = runs;
      if (first === undefined) {
        continue;
      }
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
    const [kubernetes = 0, random = 0] = await Promise.all(providers.map(providerPort));
    const surroundings = { home: join(folder, "home"), backend: folder, ports: { kubernetes, random } };
    const stack = await createStack("bench", file, { ...engineVariables(surroundings), ...env });
    const previewSeconds = await timed(() => stack.preview());
    const upSeconds = await timed(() => stack.up());
    const resources = await resourcesOf(stack);
    const noOpUpSeconds = await timed(() => stack.up({ expectNoChanges: true }));
    return { resources, previewSeconds, upSeconds, noOpUpSeconds, stateBytes: stateBytes(folder) };
  } finally {
    await Promise.all(providers.map((provider) => provider.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

function startProvider(folder: string, name: string): Program {
  const args = providerArguments(join(__dirname, "recording-provider.ts"));
  return new Program(process.execPath, args, join(folder, `${name}.log`));
}

/** @throws Error for an empty state: the first `up` deployed nothing, so its time is not that of a deployment. */
async function resourcesOf(stack: automation.Stack): Promise<number> {
  const { deployment } = await stack.exportStack();
  const { resources = [] } = deployment as { readonly resources?: readonly object[] };
  if (resources.length === 0) {
    throw new Error("the first up created no resources");
  }
  return resources.length;
}

function stateBytes(folder: string): number {
  const stacks = join(folder, ".pulumi", "stacks", "inference-stacks");
  const file = readdirSync(stacks).find((name) => /^bench\.json(\.zst)?$/.test(name));
  if (file === undefined) {
    throw new Error(`no state file in ${stacks}`);
  }
  return statSync(join(stacks, file)).size;
}
