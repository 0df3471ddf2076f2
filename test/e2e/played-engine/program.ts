import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parse } from "yaml";
import { repositoryRoot } from "../../../names/repository-root";
import { defaultAnswers, type ProviderAnswers } from "../../../offline/answers";
import type { EnvironmentName } from "../../stacks/run";
import { readEnvironment } from "../engine/environment-file";
import { CHARTS } from "../engine/project";
import { PlayedEngine, type PlayedEngineOptions } from "./engine";

/** As much of Pulumi.yaml as says how the program is started. */
interface Project {
  readonly name: string;
  readonly main: string;
  readonly runtime: { readonly options: { readonly nodeargs: string } };
}

/** How a program ended. */
export interface ProgramEnd {
  readonly status: number | null;
  readonly engine: PlayedEngine;
  /** What it printed, for failed tests. */
  readonly printed: string;
}

/** Runs the program of an environment as Pulumi's language host does, from Pulumi.yaml, against a played engine. */
export async function runProgram(
  stack: EnvironmentName,
  options: Pick<PlayedEngineOptions, "outcome" | "firstPreview"> = {},
): Promise<ProgramEnd> {
  const root = repositoryRoot();
  const { name: project, main, runtime } = parse(readFileSync(join(root, "Pulumi.yaml"), "utf8")) as Project;
  const { config, secretKeys } = readEnvironment(stack);
  const address: { here?: string } = {};
  const engine = new PlayedEngine({ ...options, project, stack, answers: answering(() => `https://${address.here}`) });
  address.here = await engine.start();
  try {
    const child = spawn(
      process.execPath,
      [
        ...runtime.options.nodeargs.split(" "),
        createRequire(import.meta.url).resolve("@pulumi/pulumi/cmd/run"),
        `--monitor=${address.here}`,
        `--engine=${address.here}`,
        `--project=${project}`,
        `--stack=${stack}`,
        `--pwd=${root}`,
        "--parallel=16",
        ...(options.firstPreview ? ["--dry-run"] : []),
        main,
      ],
      {
        cwd: root,
        env: {
          ...process.env,
          PULUMI_CONFIG: JSON.stringify({ ...CHARTS, ...config }),
          PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(secretKeys),
        },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let printed = "";
    const collect = (chunk: Buffer) => {
      printed += chunk.toString();
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { status, engine, printed };
  } finally {
    engine.stop();
  }
}

/** The offline run's answers, with an API server that takes connections: programs look for it before they go on. */
function answering(server: () => string): ProviderAnswers {
  const here = (answer: Record<string, unknown>) =>
    JSON.parse(JSON.stringify(answer).replaceAll(/https:\/\/10\.0\.0\.2(:6443)?/g, server())) as typeof answer;
  return {
    ...defaultAnswers,
    call: (token, inputs) => here(defaultAnswers.call(token, inputs)),
    state: (type, name, inputs) => here(defaultAnswers.state(type, name, inputs)),
  };
}
