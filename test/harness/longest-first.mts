import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Seconds that the longest files on real parts took in CI; `.ci/run` prints them. */
const SECONDS: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(new URL("../e2e/longest-files.json", import.meta.url), "utf8"),
);

/** Within a group the longest files come first: one that starts last leaves the other cores idle. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => groupOrder(a) - groupOrder(b) || this.seconds(b) - this.seconds(a));
  }

  private seconds({ moduleId }: TestSpecification): number {
    return SECONDS[relative(this.ctx.config.root, moduleId)] ?? 0;
  }
}

function groupOrder({ project }: TestSpecification): number {
  return project.config.sequence.groupOrder;
}
