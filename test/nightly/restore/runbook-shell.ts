import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { repositoryRoot } from "../../../names/repository-root";
import type { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import { requirePart } from "../../../rehearsal/parts/find";
import { Command, type Run } from "../../e2e/engine/pulumi";

/** The runbook's page. */
export function runbookPage(): string {
  return readFileSync(join(repositoryRoot(), "docs", "operations.md"), "utf8");
}

/** Every line of the page's shell blocks, without comments. */
export function shellLines(page: string): readonly string[] {
  const blocks = [...page.matchAll(/^ *```sh\n(?<text>[\s\S]*?)^ *```$/gm)];
  return blocks
    .flatMap(({ groups }) => (groups?.text ?? "").split("\n"))
    .map((line) => line.replace(/(^|\s)# .*$/, "").trim())
    .filter((line) => line !== "");
}

/** The text below a heading, up to the next heading; empty where there is none. */
function sectionBelow(page: string, heading: string): string {
  const start = page.indexOf(`\n${heading}\n`);
  const [, section = ""] = start < 0 ? [] : page.slice(start).split(/^#+ .*$/m);
  return section;
}

/** The kubectl commands in the sentences below a heading. */
export function commandsInText(page: string, heading: string): readonly string[] {
  return [...sectionBelow(page, heading).matchAll(/`(kubectl [^`]+)`/g)].map(([, command = ""]) => command);
}

/** The lines of each shell block below a heading, up to the next heading. */
export function blocksBelow(page: string, heading: string): readonly (readonly string[])[] {
  return [...sectionBelow(page, heading).matchAll(/^ *```sh\n[\s\S]*?^ *```$/gm)].map(([block]) => shellLines(block));
}

/**
 * The lines of the first shell block below a heading of the runbook.
 *
 * @throws Error where there is none.
 */
export function entryLines(page: string, heading: string): readonly string[] {
  const [lines = []] = blocksBelow(page, heading);
  if (lines.length === 0) {
    throw new Error(`docs/operations.md has no commands in "${heading}"`);
  }
  return lines;
}

/** Runs a line in a shell whose kubectl reaches the cluster, as an administrator does. */
export function shell(line: string, { kubeconfig, folder }: ControlPlane): Promise<Run> {
  const PATH = `${dirname(requirePart("kubectl"))}:${process.env.PATH}`;
  return new Command("sh", ["-c", line], { cwd: folder, env: { PATH, KUBECONFIG: kubeconfig } }).finished;
}
