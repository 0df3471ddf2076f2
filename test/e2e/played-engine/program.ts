import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
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
  readonly runtime: { readonly options: { readonly nodeargs?: string } };
}

/** How a program is started. */
export interface Start {
  /** Folder of the checkout, with its packages. @default this one */
  readonly root: string;
  /** Path of Node.js. @default the one of this process */
  readonly node: string;
  /** Entry point, from the repository's root. @default as in Pulumi.yaml */
  readonly main: string;
  /** @default as in Pulumi.yaml */
  readonly nodeArguments: readonly string[];
}

/** How a program ended. */
export interface ProgramEnd {
  readonly status: number | null;
  readonly engine: PlayedEngine;
  /** What it printed, for failed tests. */
  readonly printed: string;
  /** What it wrote to file descriptor 3. */
  readonly reported: string;
}

/** Runs the program of an environment as Pulumi's language host does, from Pulumi.yaml, against a played engine. */
export async function runProgram(
  stack: EnvironmentName,
  options: Pick<PlayedEngineOptions, "outcome" | "firstPreview"> = {},
  start: Partial<Start> = {},
): Promise<ProgramEnd> {
  const { root = repositoryRoot(), node = process.execPath } = start;
  const { name: project, main: own, runtime } = parse(readFileSync(join(root, "Pulumi.yaml"), "utf8")) as Project;
  const { main = own, nodeArguments = runtime.options.nodeargs?.split(" ") ?? [] } = start;
  const { config, secretKeys } = readEnvironment(stack);
  const address: { here?: string } = {};
  const engine = new PlayedEngine({ ...options, project, stack, answers: answering(() => `https://${address.here}`) });
  address.here = await engine.start();
  try {
    const child = spawn(
      node,
      [
        ...nodeArguments,
        createRequire(join(root, "package.json")).resolve("@pulumi/pulumi/cmd/run"),
        `--monitor=${address.here}`,
        `--engine=${address.here}`,
        // What a backend of one's own calls it.
        "--organization=organization",
        `--project=${project}`,
        `--stack=${stack}`,
        // The folder of the entry point is where it starts (engine 3.259, engine/project.go `GetPwdMain`).
        `--pwd=${join(root, dirname(main))}`,
        "--parallel=16",
        ...(options.firstPreview ? ["--dry-run"] : []),
        basename(main),
      ],
      {
        cwd: root,
        env: {
          ...process.env,
          PULUMI_CONFIG: JSON.stringify({ ...CHARTS, ...config }),
          PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(secretKeys),
        },
        stdio: ["ignore", "pipe", "pipe", "pipe"],
      },
    );
    let printed = "";
    const collect = (chunk: Buffer) => {
      printed += chunk.toString();
    };
    child.stdout?.on("data", collect);
    child.stderr?.on("data", collect);
    const report = text(child.stdio[3] as NodeJS.ReadableStream);
    const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { status, engine, printed, reported: await report };
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
