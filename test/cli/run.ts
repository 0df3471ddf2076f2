import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import type { CommandIo } from "../../cli/io";
import { main } from "../../cli/plan";
import { type Content, environmentText, type Sections } from "../stacks/texts";
import { judgedOnce } from "./planned-once";

export interface CommandResult {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

type Command = (argv: string[], io: CommandIo) => Promise<number>;

/** Runs a command with its streams in buffers, as when piped; with an answer, as on a terminal for questions. */
export async function runPiped(
  command: Command,
  argv: string[],
  terminal: Pick<CommandIo, "ask"> = {},
): Promise<CommandResult> {
  const out: string[] = [];
  const err: string[] = [];
  const status = await command(argv, {
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    color: false,
    ...terminal,
  });
  return { status, out: out.join(""), err: err.join("") };
}

/** `npm run plan -- …argv`, where tests of equal environments share a plan. */
export function plan(...argv: string[]): Promise<CommandResult> {
  return runPiped((args, io) => main(args, io, judgedOnce), argv);
}

/** A folder for the files of a test; gone after them. */
export function useFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "inference-stacks-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A laptop that serves one small model: what tests change one thing in. */
export const laptop = {
  stage: "development",
  cluster: { kind: "local" },
  pools: { laptop: { role: "cpu", node: { vcpus: 8, memoryGiB: 16 } } },
  models: { chat: { model: "qwen2.5-0.5b-instruct", engine: "ollama", contextTokens: 4096, concurrency: 2 } },
  gateway: { hostname: "inference.example.internal", exposure: "ClusterIP", tls: { kind: "self-signed" } },
  observability: { alerts: "none" },
} as const satisfies Sections;

/** The same with A10 machines and the given model on them. */
export function onA10(model: Sections, changes: Sections = {}): Sections {
  return {
    ...laptop,
    cluster: { kind: "oci" },
    pools: {
      system: { shape: "VM.Standard.A1.Flex", ocpus: 4, memoryGiB: 24 },
      gpu: { shape: "VM.GPU.A10.2", maxNodes: 4 },
    },
    models: { chat: { model: "qwen2.5-7b-instruct", concurrency: 2, ...model } },
    ...changes,
  };
}

let files = 0;

/** Path of a new file in the folder, with an environment in it. */
export function environmentIn(folder: string, content: Content): string {
  files += 1;
  const file = join(folder, `environment-${files}.yaml`);
  writeFileSync(file, environmentText(content));
  return file;
}

/** Plans an environment that stands in a file of its own. */
export function planOf(folder: string, content: Content, ...argv: string[]): Promise<CommandResult> {
  return plan("test", "--config", environmentIn(folder, content), ...argv);
}
