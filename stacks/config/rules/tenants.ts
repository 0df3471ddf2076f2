/** Who calls models: what tenants may use, and whose tokens name them. */
import { tenantsOf } from "../../../planner/tenants";
import { jwksUrl } from "../core/jwks-url";
import { outsideProblems } from "../core/outside-url";
import { list, suggest } from "../core/problems";
import type { Rule } from "../core/rule";

export const tenantModelsExist: Rule = function* ({ sections: { gateway }, declared }) {
  for (const { name, models = [] } of tenantsOf(gateway?.consumers ?? [])) {
    for (const [index, model] of models.entries()) {
      const path = ["gateway", "consumers", name, "models", index];
      if (!declared.models.includes(model)) {
        yield {
          path,
          value: model,
          allowed: `models of this environment, by their names under models: ${list(declared.models)}`,
          fix: suggest(model, declared.models, "name one of them, or remove it"),
        };
      } else if (models.indexOf(model) < index) {
        yield { path, value: model, allowed: "each model once", fix: "remove it" };
      }
    }
  }
};

/** The proxies fetch keys from wherever it says. */
export const tokenIssuersAreServersOfOthers: Rule = function* ({ sections: { gateway, stage } }) {
  const { oidc } = gateway?.auth ?? {};
  if (oidc === undefined) {
    return;
  }
  const section = ["gateway", "auth", "oidc"];
  const named = oidc.jwksUri === undefined ? "issuer" : "jwksUri";
  for (const problem of outsideProblems(section, { url: jwksUrl(oidc), networks: oidc.networks }, stage)) {
    const isUrl = problem.path.at(-1) === "url";
    yield isUrl ? { ...problem, path: [...section, named] } : problem;
  }
};
