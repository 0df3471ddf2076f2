/** Why a window is no measurement of the planned model. Pure. */
import { engineOf } from "../../engines";
import type { ModelPlan } from "../../planner/types";
import type { Gathered } from "./gather";

export interface CalibrationRefusal {
  readonly reason: string;
  readonly lookAt: string;
}

const LATER = "--hours: a window that begins later";

export function refusalOf(
  { engine, engineVersion }: Pick<ModelPlan, "engine" | "engineVersion">,
  { restarts, images, replicaSets }: Gathered,
): CalibrationRefusal | undefined {
  if (images.length === 0) {
    return {
      reason: "Prometheus does not have which image ran (kube_pod_container_info)",
      lookAt: "whether this is the platform's Prometheus, and kube-state-metrics runs",
    };
  }
  const containers = [...new Set(images.map(({ container }) => container))];
  const mixed = containers.filter((name) => images.filter(({ container }) => container === name).length > 1);
  if (mixed.length > 0 || replicaSets.length > 1) {
    const what = mixed.length > 0 ? `several images of ${mixed.join(", ")}` : `${replicaSets.length} ReplicaSets`;
    return { reason: `the window has more than one revision: ${what}`, lookAt: LATER };
  }
  const versions = images.map(({ image }) => engineOf(engine).versionOf(tagOf(image)));
  if (!versions.includes(engineVersion)) {
    return {
      reason: `the plan has ${engine} ${engineVersion}; what ran is ${images.map(({ image }) => image).join(", ")}`,
      lookAt: "pulumi up, and a window after it; or the environment as it was deployed",
    };
  }
  if (restarts > 0) {
    return { reason: `engines restarted ${Math.round(restarts)} times in the window`, lookAt: `${LATER}; their log` };
  }
  return undefined;
}

/** Of `registry:5000/vllm/vllm-openai:v0.33.0@sha256:…`. */
function tagOf(image: string): string {
  return /:([^:/@]+)(?:@.*)?$/.exec(image)?.[1] ?? image;
}
