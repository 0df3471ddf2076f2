/** `transform`: fields that other parts depend on. */
import { LABEL_PREFIX } from "../../../names/labels";
import { PLAN_CONFIG_MAP } from "../../../names/plan-record";
import type { ProblemDraft } from "../core/problems";
import type { Rule } from "../core/rule";

/** Identity for other resources and the plan. */
const IDENTITY = ["/apiVersion", "/kind", "/metadata/name", "/metadata/namespace"];

export const patchesLeaveWhatOthersGoBy: Rule = function* ({ sections: { transform = [] } }) {
  for (const [index, { kind, resource, patches }] of transform.entries()) {
    const path = ["transform", index];
    if (kind === "Secret" || (kind === "ConfigMap" && resource.endsWith(PLAN_RESOURCE))) {
      yield {
        path: [...path, "resource"],
        value: resource,
        allowed:
          kind === "Secret"
            ? "no Secret: the file would contain its values"
            : `not the plan's record ${PLAN_CONFIG_MAP.name}, by which policies judge`,
        fix: kind === "Secret" ? "set the secret that it is made of" : "change what the plan is made of",
      };
      continue;
    }
    for (const [number, patch] of patches.entries()) {
      const problem = patchProblem(kind, patch.path);
      const here = [...path, "patches", number];
      if (problem) {
        yield { path: [...here, "path"], value: patch.path, ...problem };
      } else if ((patch.op === "remove") === (patch.value !== undefined)) {
        yield {
          path: [...here, "value"],
          value: patch.value,
          allowed: patch.op === "remove" ? "nothing, with remove" : `a value, with ${patch.op}`,
          fix: patch.op === "remove" ? "remove it" : "add value",
        };
      }
    }
  }
};

/** Logical name of the plan's ConfigMap below the platform. */
const PLAN_RESOURCE = "-plan-plan";

function patchProblem(kind: string, path: string): Pick<ProblemDraft, "allowed" | "fix"> | undefined {
  if (kind === "Release" && !path.startsWith("/values/")) {
    return {
      allowed: "paths below /values of a chart: its version, archive and namespace are pinned",
      fix: "write a path that begins with /values/, or remove the patch",
    };
  }
  const identity = IDENTITY.find((each) => path === each || path.startsWith(`${each}/`));
  if (kind !== "Release" && identity !== undefined) {
    return { allowed: `not ${identity}: other resources know it by that`, fix: "remove the patch" };
  }
  return path.includes(`/${LABEL_PREFIX}~1`)
    ? {
        allowed: `not labels and annotations of ${LABEL_PREFIX}: policies, networks and monitoring go by them`,
        fix: "remove the patch, or write a key with a prefix of your own",
      }
    : undefined;
}
