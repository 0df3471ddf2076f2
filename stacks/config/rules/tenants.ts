/** Tenants' rights, and token issuers. */
import { knownTokenIssuers } from "../../../catalog/token-issuers";
import { PREFIX_HASH, PREFIX_HASHES } from "../../../engines/vllm/prefix-hash";
import { groupsOf, isOneGroup, prefixCaches } from "../../../planner/prefix-caches";
import { limitsOf, tenantsOf } from "../../../planner/tenants";
import { jwksUrl } from "../core/jwks-url";
import { outsideProblems } from "../core/outside-url";
import { list, suggest } from "../core/problems";
import type { Rule } from "../core/rule";

export const tenantModelsExist: Rule = function* ({ sections: { gateway }, declared }) {
  const known = [...declared.models, ...declared.adapters];
  const adapters = declared.adapters.length > 0 ? ", or of their adapters" : "";
  for (const [name, { models = [] }] of Object.entries(limitsOf(gateway?.consumers ?? []))) {
    for (const [index, model] of models.entries()) {
      const path = ["gateway", "consumers", name, "models", index];
      if (!known.includes(model)) {
        yield {
          path,
          value: model,
          allowed: `models of this environment, by their names under models${adapters}: ${list(known)}`,
          fix: suggest(model, known, "name one of them, or remove it"),
        };
      } else if (models.indexOf(model) < index) {
        yield { path, value: model, allowed: "each model once", fix: "remove it" };
      }
    }
  }
};

export const sharersAreConsumers: Rule = function* ({ sections: { gateway } }) {
  const consumers = tenantsOf(gateway?.consumers ?? []).map(({ name }) => name);
  const { share = [] } = gateway?.prefixCaches ?? {};
  const groups = groupsOf(share);
  const all = groups.flat();
  let before = 0;
  for (const [group, names] of groups.entries()) {
    for (const [index, name] of names.entries()) {
      const path = ["gateway", "prefixCaches", "share", ...(isOneGroup(share) ? [index] : [group, index])];
      if (!consumers.includes(name)) {
        yield {
          path,
          value: name,
          allowed: `consumers of this environment, by their names under gateway.consumers: ${list(consumers)}`,
          fix: suggest(name, consumers, "name one of them, or remove it"),
        };
      } else if (all.indexOf(name) < before + index) {
        yield {
          path,
          value: name,
          allowed: "each consumer once, in one group",
          fix: isOneGroup(share) ? "remove it" : "remove it, or make one group of the two",
        };
      }
    }
    before += names.length;
  }
};

/** A prompt with another's hash gets that one's cached answer, whatever the salts. */
export const prefixHashesKeepTenantsApart: Rule = function* ({ sections: { gateway, models = {} } }) {
  const tenants = tenantsOf(gateway?.consumers ?? [], models);
  const groups = groupsOf(gateway?.prefixCaches?.share);
  for (const [model, { args = {}, revisionOf }] of Object.entries(models)) {
    const hash = args[PREFIX_HASH];
    const isUnsafe = hash !== undefined && !PREFIX_HASHES.some((each) => each === hash);
    const isUsed = args["enable-prefix-caching"] !== false && revisionOf === undefined;
    if (isUnsafe && isUsed && prefixCaches(model, tenants, groups) !== undefined) {
      yield {
        path: ["models", model, "args", PREFIX_HASH],
        value: hash,
        allowed: `${list(PREFIX_HASHES)} where several consumers do not share: of other hashes, prompts that collide can be computed, and are answered from the cache of another consumer`,
        fix: "remove it: the platform takes sha256",
      };
    }
  }
};

/**
 * Claims with several values (RFC 9068, Microsoft Entra ID, Keycloak), which identify no single
 * caller.
 */
const CLAIMS_OF_SEVERAL = ["aud", "amr", "groups", "roles", "scope", "scp", "wids"];

export const claimNamesOneTenant: Rule = function* ({ sections: { gateway } }) {
  const { tenantClaim } = gateway?.auth?.oidc ?? {};
  if (CLAIMS_OF_SEVERAL.includes(tenantClaim?.split(".").at(-1) ?? "")) {
    yield {
      path: ["gateway", "auth", "oidc", "tenantClaim"],
      value: tenantClaim,
      allowed:
        "a claim with one value, a text: a claim with several names no consumer, and every token of it answers 403",
      fix: "write client_id, azp (Microsoft Entra ID, Keycloak) or a claim that your issuer fills with the name of one consumer",
    };
  }
};

/** Proxies fetch keys from any server named. */
export const tokenIssuersAreServersOfOthers: Rule = function* ({ sections: { gateway, stage } }) {
  const { oidc } = gateway?.auth ?? {};
  if (oidc === undefined) {
    return;
  }
  const section = ["gateway", "auth", "oidc"];
  const url = jwksUrl(oidc);
  if (url === undefined) {
    yield {
      path: [...section, "jwksUri"],
      value: undefined,
      allowed: `the address of the issuer's keys; left out for ${list(knownTokenIssuers)} alone`,
      fix: `add what this says under jwks_uri: curl ${oidc.issuer.replace(/\/+$/, "")}/.well-known/openid-configuration`,
    };
    return;
  }
  const named = oidc.jwksUri === undefined ? "issuer" : "jwksUri";
  for (const problem of outsideProblems(section, { url, networks: oidc.networks }, stage)) {
    const isUrl = problem.path.at(-1) === "url";
    yield isUrl ? { ...problem, path: [...section, named] } : problem;
  }
};
