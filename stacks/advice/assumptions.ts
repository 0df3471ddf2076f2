/** Assumptions where the file is silent or incomplete and its author may disagree. */
import { settingPath } from "../../engines";
import type { CapacityProblem } from "../../planner/types";
import { requestedSettings } from "../config/engine-block";
import type { Advised } from "./advice";

const GENERATIVE = ["chat", "completion"];

/**
 * Engine files state only the longest request, and engines start with room for one; a plan reserves
 * more.
 */
export function assumedConcurrency({ plan, environment }: Pick<Advised, "plan" | "environment">): CapacityProblem[] {
  const assumed = plan.models.filter(({ name, task }) => {
    return GENERATIVE.includes(task) && environment.models[name]?.assumesConcurrency === true;
  });
  const [first] = assumed;
  return first === undefined
    ? []
    : [
        {
          severity: "advisory",
          rule: "assumed-concurrency",
          subject: `models.${first.name}.concurrency`,
          message: `${assumed.map(({ name, concurrency, contextTokens }) => `${name}: ${concurrency} requests of ${contextTokens} tokens each`).join(", ")} at once have room in each replica, which nothing in the file says: an engine alone starts with room for one. Write concurrency: for fewer, layouts are smaller; or traffic, and the plan counts how many there are.`,
        },
      ];
}

/** A configured tensor parallel size stays; where it is too small the plan adds pipeline stages. */
export function addedStages({ plan, environment }: Pick<Advised, "plan" | "environment">): CapacityProblem[] {
  return plan.models.flatMap(({ name, pipelineParallel, gpusPerNode, nodesPerReplica }): CapacityProblem[] => {
    const config = environment.models[name];
    const { tensorParallel, pipelineParallel: asked } = config === undefined ? {} : requestedSettings(config);
    if (config === undefined || tensorParallel === undefined || asked !== undefined || pipelineParallel <= 1) {
      return [];
    }
    return [
      {
        severity: "advisory",
        rule: "added-stages",
        subject: `models.${name}`,
        message: `${name} has ${pipelineParallel} pipeline stages of the tensor parallel size ${tensorParallel} that the file says: ${gpusPerNode * nodesPerReplica} GPUs for each replica, for what it asks of memory or speed is not in ${tensorParallel}. Write ${settingPath(config.engine, "pipelineParallel")}: 1 to have what is missing named instead, or a lower concurrency or contextTokens.`,
      },
    ];
  });
}
