import type { ExternalModelPlan } from "../planner/types";

/** What a reader should know of a model of others, as short phrases. */
export function outsideOf(model: ExternalModelPlan): string[] {
  const { servedName, task, modelThere, healthPath, secretKey, networks, authorities } = model;
  return [
    task,
    `called ${servedName} here${modelThere === servedName ? " and there" : `, ${modelThere} there`}`,
    secretKey === undefined ? "no key" : `key: secret ${secretKey}`,
    `health: ${healthPath}`,
    ...(networks ? [`reached in ${networks.join(", ")} alone`] : []),
    ...(authorities ? [`certificates of ${authorities.file}`] : []),
  ];
}
