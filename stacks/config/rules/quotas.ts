import { engineOf } from "../../../engines";
import { MOST_QUOTAS, quotasOf } from "../../../planner/quotas";
import { tenantsOf } from "../../../planner/tenants";
import type { Rule } from "../core/rule";

/** One gateway policy holds all quotas. */
export const quotasFitOnePolicy: Rule = function* ({ sections: { gateway } }) {
  const quotas = quotasOf(tenantsOf(gateway?.consumers ?? []));
  if (quotas.length > MOST_QUOTAS) {
    yield {
      path: ["gateway", "consumers"],
      value: `${quotas.length} limits`,
      allowed: `at most ${MOST_QUOTAS} of requestsPerMinute and tokensPerMinute together: so many the gateway holds`,
      fix: "let small clients share a consumer, or leave out a limit of those that you trust",
    };
  }
};

/** The token filter supports OpenAI's requests and answers only. */
export const tokenQuotasCountEveryModel: Rule = function* ({ sections: { gateway, models = {} } }) {
  const uncounted = Object.entries(models)
    .filter(([, { engine }]) => engineOf(engine).ports.openai === undefined)
    .map(([name]) => name);
  for (const { name, tokensPerMinute, models: named } of tenantsOf(gateway?.consumers ?? [], models)) {
    const open = uncounted.filter((model) => named === undefined || named.includes(model));
    if (tokensPerMinute !== undefined && open.length > 0) {
      yield {
        path: ["gateway", "consumers", name, "tokensPerMinute"],
        value: tokensPerMinute,
        allowed: `a limit of tokens only where all models of the consumer answer in OpenAI's shape: tokens of ${open.join(", ")} are not counted`,
        fix: `name its models without ${open.join(", ")}, or give it requestsPerMinute instead`,
      };
    }
  }
};
