import { type ModelEndpoint, namesOf, speaksOpenAi } from "../../../components/serving/endpoint";
import { mayUse, nameLimits, type Tenant } from "../../../planner/tenants";
import type { ExternalModelPlan } from "../../../planner/types";

/** Chat models by a consumer's names for them. */
export function pageModels(
  tenant: Tenant,
  endpoints: readonly ModelEndpoint[],
  externals: readonly Pick<ExternalModelPlan, "name" | "servedName" | "task">[],
): string[] {
  const own = endpoints.filter(speaksOpenAi).filter(({ revisionOf }) => revisionOf === undefined);
  const all = [
    ...own.map((endpoint) => ({ model: endpoint.model, task: endpoint.task, names: namesOf(endpoint) })),
    ...externals.map(({ name, servedName, task }) => ({ model: name, task, names: [servedName] })),
  ];
  return all
    .filter(({ model, task }) => task === "chat" && mayUse(tenant, model))
    .flatMap(({ model, names }) => nameLimits(model, [tenant])?.[tenant.name] ?? names);
}
