/** What is rendered for models on Triton, with its folders on this machine. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ModelPlan } from "../../../planner/types";
import { type Container, container, deployServing, type PodSpec, podTemplate } from "../../components/serving/fixture";
import { modelPlan } from "../../harness/plans";
import { type Outcome, ScriptProcess } from "../model-store/script-process";

export function tritonPlan(overrides: Partial<ModelPlan> = {}): ModelPlan {
  return modelPlan({ engine: "triton", engineVersion: "26.07", task: "completion", servedName: "llama", ...overrides });
}

export interface Rendered {
  /** Of `tritonserver`. */
  readonly args: readonly string[];
  /** The init container that makes the repository of a checkpoint. */
  readonly maker: Container | undefined;
  readonly spec: PodSpec;
  /** Content of the ConfigMap that the maker mounts, by path. */
  readonly files: Readonly<Record<string, string>>;
}

export async function render(model: ModelPlan): Promise<Rendered> {
  const { deployment } = await deployServing([model]);
  const { spec } = podTemplate(
    deployment.resource("kubernetes:apps/v1:Deployment", `serving-${model.name}-server-deployment`),
  );
  const maker = spec.initContainers?.find(({ name }) => name === "make-repository");
  const maps = deployment
    .ofType("kubernetes:core/v1:ConfigMap")
    .filter(({ name }) => name === `serving-${model.name}-repository`);
  return {
    args: container(spec, "triton").args ?? [],
    maker,
    spec,
    files: Object.assign({}, ...maps.map(({ inputs }) => inputs.data)),
  };
}

/**
 * Runs the rendered init container: its command, on folders below `root`.
 * @param code what the image has, by absolute path in it.
 * @returns the repository's folder.
 */
export async function makeRepository(
  { maker, files }: Rendered,
  root: string,
  code: Readonly<Record<string, string>>,
): Promise<string> {
  if (maker === undefined) {
    throw new Error("the pod makes no repository");
  }
  const here = mkdtempSync(join(root, "pod-"));
  for (const [path, text] of Object.entries({
    ...code,
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`/repository-files/${name}`, text])),
  })) {
    mkdirSync(dirname(join(here, path)), { recursive: true });
    writeFileSync(join(here, path), text);
  }
  mkdirSync(join(here, "repository"));
  const words = [
    ...(maker.command ?? []),
    ...(maker.args ?? []).map((word) => (word.startsWith("/") ? join(here, word) : word)),
  ];
  const { status, output }: Outcome = await new ScriptProcess({ command: words, env: { PATH: process.env.PATH ?? "" } })
    .ended;
  if (status !== 0) {
    throw new Error(`make-repository ended with status ${status}:\n${output}`);
  }
  return join(here, "repository");
}

/** The rendered command line with another repository. */
export function withRepository(args: readonly string[], folder: string): string[] {
  return args.map((word) => (word.startsWith("--model-repository=") ? `--model-repository=${folder}` : word));
}
