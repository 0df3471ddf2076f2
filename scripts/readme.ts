/**
 * `npm run readme`: brings the README's sample plans and its picture up to date. Both are made from plans: of the README's own
 * environment, and of aws-prod. A test fails where they differ from what this makes.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { main as plan } from "../cli/plan";
import { repositoryRoot } from "../names/repository-root";
import { type EnvironmentRun, runEnvironment } from "../offline/environment";
import { platformPictureFile } from "../report/html/platform-picture";
import { formatProblems, parseEnvironmentFile } from "../stacks/config";

export const README = "README.md";
export const PICTURE = "docs/images/platform.svg";
export const PICTURED = "aws-prod";

/** A sample follows this comment, which may name one change of the environment: `sample: concurrency: 2 -> concurrency: 4`. */
const SAMPLE = /(<!-- sample: (?:(?<from>[^>]*?) -> (?<to>.*?)|plan) -->\n```text\n)[\s\S]*?(?=^```$)/gm;

/** The README with samples of today. */
export async function readmeText(readme: string): Promise<string> {
  const environment = /^```yaml\n([\s\S]*?)^```$/m.exec(readme)?.[1] ?? "";
  const outputs: string[] = [];
  for (const { groups: { from, to } = {} } of readme.matchAll(SAMPLE)) {
    outputs.push(await sampleOf(from === undefined ? environment : environment.replace(from, to ?? "")));
  }
  return readme.replace(SAMPLE, (_, before: string) => before + (outputs.shift() ?? ""));
}

/** What `plan` prints before its advice; of a refusal what it is refused for. */
async function sampleOf(environment: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "readme-"));
  try {
    const file = join(folder, "Pulumi.demo.yaml");
    writeFileSync(file, environment);
    const lines: string[] = [];
    await plan(["demo", "--config", file], { out: (text) => lines.push(text), err: () => {}, color: false });
    const [title = "", ...blocks] = lines.join("").split("\n\n");
    const refusals = blocks.filter((block) => block.startsWith("✗"));
    const shown = refusals.length > 0 ? refusals : blocks.filter((block) => /^(Models|Pools|Cost) /.test(block));
    return `${[title.replace(/ · plan in .*/, ""), ...shown].join("\n\n")}\n`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The picture of an environment's run. */
export function pictureText({ plan, recording }: Pick<EnvironmentRun, "plan" | "recording">): string {
  return platformPictureFile({ plan, resources: recording.resources });
}

async function main(): Promise<void> {
  const root = repositoryRoot();
  const file = parseEnvironmentFile(readFileSync(join(root, `Pulumi.${PICTURED}.yaml`), "utf8"));
  if (!file.ok) {
    throw new Error(formatProblems(file.problems, PICTURED));
  }
  const run = await runEnvironment({ name: PICTURED, file, baseDirectory: root });
  writeFileSync(join(root, PICTURE), pictureText(run));
  writeFileSync(join(root, README), await readmeText(readFileSync(join(root, README), "utf8")));
}

if (process.argv[1] === __filename) {
  void main();
}
