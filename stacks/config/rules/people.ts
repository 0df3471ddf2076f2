import { list, type Path, type ProblemDraft, suggest } from "../core/problems";
import type { Rule } from "../core/rule";

const ROLES = ["viewers", "operators", "admins"] as const;

export const groupsAreOfPeople: Rule = function* ({ sections: { people } }) {
  if (!people) {
    return;
  }
  yield* groupProblems(["people"], people);
  for (const [domain, groups] of Object.entries(people.domains)) {
    yield* groupProblems(["people", "domains", domain], groups);
  }
};

type Groups = { readonly [Role in (typeof ROLES)[number]]: readonly string[] };

function* groupProblems(section: Path, groups: Groups): Generator<ProblemDraft> {
  for (const role of ROLES) {
    for (const [index, group] of groups[role].entries()) {
      const path = [...section, role, index];
      if (group.startsWith("system:")) {
        yield {
          path,
          value: group,
          allowed: "a group of people, not one of Kubernetes' own (system:…)",
          fix: "name a group of your identity provider",
        };
      } else if (groups[role].indexOf(group) < index) {
        yield { path, value: group, allowed: "each group once", fix: "remove it" };
      }
    }
  }
}

export const peoplesDomainsExist: Rule = function* ({ sections: { people, models = {} } }) {
  const domains = [...new Set(Object.values(models).flatMap(({ domain }) => domain ?? []))];
  for (const domain of Object.keys(people?.domains ?? {})) {
    if (!domains.includes(domain)) {
      yield {
        path: ["people", "domains", domain],
        value: domain,
        allowed: domains.length > 0 ? `domain of a model: ${list(domains)}` : "domain of a model; no model has one",
        fix: suggest(domain, domains, "write domain under its models, or remove it here"),
      };
    }
  }
};
