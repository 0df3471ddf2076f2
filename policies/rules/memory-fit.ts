import { ANNOTATIONS } from "../../names/labels";
import { PLAN_CONFIG_MAP } from "../../names/plan-record";
import type { Field } from "../lib/field";
import { gpuClaims } from "../lib/gpu";
import { readPlan } from "../lib/plan";
import { type PodTemplate, podTemplates } from "../lib/pods";
import { type Report, stackPolicy } from "../lib/policy";
import type { Resource } from "../lib/resource";

/** Checks the recorded plan and its pods: the planner places only models that fit. */
export const memoryFit = stackPolicy(
  {
    name: "memory-fit",
    description:
      "Every model's memory fits on its tightest GPU for sure, with what the estimate can be off, in the plan and in the annotations of each pod that claims GPUs.",
    severity: "high",
    enforcementLevel: "mandatory",
    tags: ["gpu", "capacity"],
    remediationSteps:
      "Give the model more or larger GPUs, a smaller context or concurrency, or a quantized version; take the pod's annotations from the plan.",
  },
  (resources, report) => {
    const reading = readPlan(resources);
    if (reading.state === "invalid") {
      report({ ...reading, found: reading.reason, allowed: "the deployment plan as JSON" });
    }
    if (reading.state === "read") {
      reading.plan.models.forEach(({ name, memoryPerGpu: { totalGiB, limitGiB }, verdict }, index) => {
        const { above } = verdict.intervalGiB;
        if (totalGiB + above > limitGiB) {
          const field = reading.field.get("models", index, "memoryPerGpu", "totalGiB");
          report({
            resource: reading.resource,
            field,
            found: `is ${totalGiB} GiB for model "${name}", and may be ${above} GiB more (${verdict.basis})`,
            allowed: `at most ${limitGiB} GiB together`,
          });
        }
      });
    }
    for (const resource of resources) {
      for (const pod of podTemplates(resource).filter((template) => gpuClaims(template).length > 0)) {
        if (reading.state === "absent") {
          const plan = `ConfigMap ${PLAN_CONFIG_MAP.namespace}/${PLAN_CONFIG_MAP.name}`;
          report({
            resource,
            field: pod.spec,
            found: "claims GPUs in a stack without a plan",
            allowed: `a plan, published as ${plan}`,
          });
        }
        checkAnnotations(resource, pod, report);
      }
    }
  },
);

function checkAnnotations(resource: Resource, { metadata }: PodTemplate, report: Report): void {
  const most = metadata.get("annotations", ANNOTATIONS.memoryMostGiB);
  const limit = metadata.get("annotations", ANNOTATIONS.memoryLimitGiB);
  const missing = [most, limit].filter((field) => field.is((value) => !isGiB(value)));
  for (const field of missing) {
    report({ resource, field, allowed: "GiB as a decimal number, from the plan" });
  }
  if (missing.length === 0 && exceeds(most, limit)) {
    report({ resource, field: most, allowed: `at most ${String(limit.value)} GiB` });
  }
}

function isGiB(value: unknown): boolean {
  return typeof value === "string" && /^\d+(\.\d+)?$/.test(value);
}

function exceeds(most: Field, limit: Field): boolean {
  return most.is((gib) => limit.is((limitGiB) => Number(gib) > Number(limitGiB)));
}
