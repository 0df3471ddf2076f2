import type { Field } from "../lib/field";
import { stackPolicy } from "../lib/policy";
import { namespaceOf, type Resource } from "../lib/resource";

/** A KEDA ScaledObject creates a HorizontalPodAutoscaler. */
const TARGETS: Readonly<Record<string, string>> = {
  HorizontalPodAutoscaler: "scaleTargetRef",
  ScaledObject: "scaleTargetRef",
  VerticalPodAutoscaler: "targetRef",
};

interface Scaling {
  readonly resource: Resource;
  readonly field: Field;
  readonly target: string;
}

export const singleAutoscalerPerTarget = stackPolicy(
  {
    name: "single-autoscaler-per-target",
    description:
      "No workload is scaled by two autoscalers (HPA, KEDA ScaledObject, VPA): they would undo each other's decisions.",
    severity: "high",
    enforcementLevel: "mandatory",
    tags: ["autoscaling", "reliability"],
    remediationSteps: "Keep one autoscaler for the target and put all its metrics or triggers there.",
  },
  (resources, report) => {
    const byTarget = new Map<string, Scaling[]>();
    for (const scaling of resources.flatMap(scalingOf)) {
      byTarget.set(scaling.target, [...(byTarget.get(scaling.target) ?? []), scaling]);
    }
    for (const [target, [first, ...others]] of byTarget) {
      for (const { resource, field } of others) {
        report({
          resource,
          field,
          found: `is ${target}, which ${first?.resource.kind} "${first?.resource.name}" scales already`,
          allowed: "one autoscaler per target",
        });
      }
    }
  },
);

function scalingOf(resource: Resource): Scaling[] {
  const property = TARGETS[resource.kind ?? ""];
  // A VPA that only recommends changes nothing.
  if (property === undefined || resource.props.get("spec", "updatePolicy", "updateMode").is((mode) => mode === "Off")) {
    return [];
  }
  const field = resource.props.get("spec", property);
  const kind = field.get("kind").is((value) => value === undefined) ? "Deployment" : field.get("kind").text();
  const name = field.get("name").text();
  const namespace = namespaceOf(resource).text();
  return kind && name && namespace ? [{ resource, field, target: `${kind} ${namespace}/${name}` }] : [];
}
