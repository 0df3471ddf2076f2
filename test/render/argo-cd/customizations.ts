/** The health checks that docs/gitops.md tells users to configure in `argocd-cm`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { groupOf } from "../../../kubernetes/object";
import { repositoryRoot } from "../../../names/repository-root";
import type { ReadObject } from "../run";
import { text } from "./fields";
import type { Rules } from "./health";

/** A script that answers Healthy whatever the object is. */
const HEALTHY = /^hs = \{\}\nhs\.status = "Healthy"\nhs\.message = ""\nreturn hs\n$/;

/** Patterns of `group/kind` that the page makes healthy once applied. */
export function documentedHealthy(): readonly string[] {
  const page = readFileSync(join(repositoryRoot(), "docs/gitops.md"), "utf8");
  const block = /```yaml\n( *)data:\n[^`]*resource\.customizations[^`]*```/.exec(page);
  const data = parse((block?.[0] ?? "").replaceAll("```yaml", "").replaceAll("```", ""));
  const entries: Readonly<Record<string, unknown>> = parse(text(data, "data", "resource.customizations") ?? "") ?? {};
  return Object.entries(entries).flatMap(([pattern, entry]) =>
    HEALTHY.test(text(entry, "health.lua") ?? "") ? [pattern] : [],
  );
}

/** The rules with those of the page before them: Argo CD prefers a configured check to its own (`util/lua/lua.go`). */
export function configured(rules: Rules): Rules {
  const patterns = documentedHealthy();
  const isHealthy = ({ apiVersion, kind }: ReadObject) =>
    [`${groupOf(apiVersion)}/${kind}`, `${groupOf(apiVersion)}/*`].some((pattern) => patterns.includes(pattern));
  return Object.fromEntries(
    Object.entries(rules).map(([kind, rule]) => [
      kind,
      (object: ReadObject, all: readonly ReadObject[]) => (isHealthy(object) ? {} : rule(object, all)),
    ]),
  );
}
