import type { Field } from "../lib/field";
import { gpuClaims } from "../lib/gpu";
import { type PlanFacts, readPlan } from "../lib/plan";
import { podTemplates } from "../lib/pods";
import { stackPolicy } from "../lib/policy";
import { selectsNodes, untolerated } from "../lib/scheduling";

type Pool = Pick<PlanFacts["pools"][number], "name" | "selector" | "taints">;

export const gpuTolerations = stackPolicy(
  {
    name: "gpu-tolerations",
    description: "Pods that claim GPUs select GPU nodes and tolerate the taints of these nodes.",
    severity: "medium",
    enforcementLevel: "mandatory",
    tags: ["gpu", "scheduling"],
    remediationSteps: "Take nodeSelector and tolerations from the model's plan, which has those of its pool.",
  },
  (resources, report) => {
    const reading = readPlan(resources);
    if (reading.state === "unknown") {
      return;
    }
    const pools = reading.state === "read" ? reading.plan.pools.filter(({ role }) => role === "gpu") : [];
    for (const resource of resources) {
      for (const pod of podTemplates(resource).filter(({ isPartial }) => !isPartial)) {
        const [claim] = gpuClaims(pod);
        if (!claim) {
          continue;
        }
        const selector = pod.spec.get("nodeSelector");
        if (!selectsNodes(pod.spec)) {
          report({ resource, field: selector, allowed: "labels of the GPU nodes (or a required node affinity)" });
          continue;
        }
        const candidates =
          pools.length > 0 ? pools.filter((pool) => isSelected(pool, selector)) : [conventional(claim.resourceName)];
        if (candidates.length === 0) {
          report({
            resource,
            field: selector,
            allowed: pools
              .map(({ name, selector: labels }) => `${JSON.stringify(labels)} (pool ${name})`)
              .join(", or "),
          });
        } else if (candidates.every((pool) => untolerated(pool.taints, pod.spec).length > 0)) {
          const missing = candidates.flatMap((pool) =>
            untolerated(pool.taints, pod.spec).map(({ key, effect }) => `${key}:${effect} (${pool.name})`),
          );
          report({
            resource,
            field: pod.spec.get("tolerations"),
            allowed: `tolerations of the nodes' taints, here of ${missing.join(", ")}`,
          });
        }
      }
    }
  },
);

/** Without a plan: the taint of clouds and the ExtendedResourceToleration admission plugin. */
function conventional(resourceName: string): Pool {
  // Nodes with partitioned cards keep the card's taint.
  const key = resourceName.replace(/\/.*/, "/gpu");
  return { name: "any GPU node", selector: {}, taints: [{ key, effect: "NoSchedule" }] };
}

/**
 * True when the selector shares labels with the pool's and contradicts none; pods with affinity
 * alone may land anywhere.
 */
function isSelected({ selector: labels }: Pool, selector: Field): boolean {
  const asked = selector.entries();
  const shared = asked.filter(([key]) => Object.hasOwn(labels, key));
  return (
    asked.length === 0 ||
    (shared.length > 0 && !shared.some(([key, field]) => field.is((value) => value !== labels[key])))
  );
}
