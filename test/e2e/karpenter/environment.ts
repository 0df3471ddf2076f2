import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { repositoryRoot } from "../../../names/repository-root";
import { changedRun, type ProgramRun } from "../../stacks/run";

interface Sections {
  readonly config: Readonly<Record<`inference-stacks:${"pools" | "models"}`, Readonly<Record<string, object>>>>;
}

/** `aws-prod` as it is, with two pools more: one of spot machines, and one for a model that spans nodes. */
export async function wideAwsProd(): Promise<ProgramRun> {
  const { config }: Sections = parse(readFileSync(join(repositoryRoot(), "Pulumi.aws-prod.yaml"), "utf8"));
  return changedRun("aws-prod", {
    pools: {
      ...config["inference-stacks:pools"],
      cheap: { shape: "g6.2xlarge", capacity: "spot", minNodes: 1, maxNodes: 3, dedicatedTo: ["draft"] },
      wide: { shape: "g6.12xlarge", minNodes: 2, maxNodes: 4, dedicatedTo: ["spanning"] },
    },
    models: {
      ...config["inference-stacks:models"],
      draft: { model: "llama-3.2-3b-instruct", contextTokens: 8192, concurrency: 4, replicas: { min: 1, max: 3 } },
      spanning: { model: "llama-3.3-70b-instruct", contextTokens: 8192, concurrency: 4 },
    },
    budget: { monthlyUsd: 1_000_000 },
  });
}
