import { originOf } from "../engines/sources";
import type { EnvironmentRun } from "../offline/environment";

/**
 * Public names: models as clients and registries call them, and token issuers. Environment keys and
 * host names are lower case, unlike random keys.
 */
export function publicNames({ environment, plan }: Pick<EnvironmentRun, "environment" | "plan">): string[] {
  const { issuer, audience, jwksUri } = environment.gateway.auth?.oidc ?? {};
  const models = [...plan.models, ...plan.unplaced].flatMap(({ servedName, source }) => [
    servedName,
    originOf(source).name,
  ]);
  const aliases = plan.models.flatMap((model) => model.aliases ?? []);
  const adapters = plan.models.flatMap(({ adapters: room }) =>
    (room?.list ?? []).map(({ source }) => originOf(source).name),
  );
  const outside = plan.externalModels.flatMap(({ servedName, modelThere, url }) => [servedName, modelThere, url]);
  const tokens = [issuer, audience, jwksUri].flatMap((name) => (name === undefined ? [] : [name]));
  return [...new Set([...models, ...aliases, ...adapters, ...outside, ...tokens])];
}
