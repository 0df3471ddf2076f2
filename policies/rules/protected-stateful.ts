import statefulTypes from "../data/stateful-types.json";
import type { Field } from "../lib/field";
import { STAGE_SCHEMA, type StageConfig, stageOf } from "../lib/plan";
import { stackPolicy } from "../lib/policy";
import type { Resource } from "../lib/resource";

const STATEFUL = new Set<string>(statefulTypes.types);

export const protectedStateful = stackPolicy<StageConfig>(
  {
    name: "protected-stateful",
    description:
      "In production, what holds data (volumes, buckets, databases, encryption keys) is protected against deletion.",
    severity: "critical",
    enforcementLevel: "mandatory",
    tags: ["storage", "reliability"],
    configSchema: STAGE_SCHEMA,
    remediationSteps:
      "Give the resource the option protect: true; to delete it on purpose, run pulumi state unprotect first.",
  },
  (resources, report, config) => {
    if (stageOf(resources, config.stage) !== "production") {
      return;
    }
    for (const resource of resources) {
      if (isStateful(resource) && resource.protect.is((value) => value !== true)) {
        report({ resource, field: resource.protect, allowed: "true, for what holds data in production" });
      }
    }
  },
);

function isStateful({ type, kind, props }: Resource): boolean {
  return (
    (STATEFUL.has(type) && !isWindow(props.get("spec"))) ||
    (kind === "StatefulSet" && hasLastingClaims(props.get("spec")))
  );
}

/** A read-only view of a foreign folder, which outlives it: nothing is lost. */
function isWindow(spec: Field): boolean {
  const modes = spec.get("accessModes").items();
  return modes.length > 0 && modes.every((mode) => mode.is((value) => value === "ReadOnlyMany"));
}

/** Claims deleted with their set are a declared cache; Kubernetes keeps them by default. */
function hasLastingClaims(spec: Field): boolean {
  const isCache = spec.get("persistentVolumeClaimRetentionPolicy", "whenDeleted").is((value) => value === "Delete");
  return !isCache && spec.get("volumeClaimTemplates").items().length > 0;
}
