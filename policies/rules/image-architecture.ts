import type { Field } from "../lib/field";
import { architecturesOf, chartImagesOf, statedArchitectures } from "../lib/image-platforms";
import { type PlanFacts, readPlan } from "../lib/plan";
import { podTemplates } from "../lib/pods";
import { type Report, stackPolicy } from "../lib/policy";
import { HELM_CHART, type Resource } from "../lib/resource";
import { type NodePool, reachablePools } from "../lib/scheduling";

interface Pool extends NodePool {
  readonly arch: string;
}

/** Architecture of images without a statement. */
const CUSTOMARY = "amd64";

/**
 * Judges images of the catalogue, and own images by their statement. The architecture of others is
 * unknown: on nodes of another than the customary one the result is "not applicable", and the plan
 * advises on it.
 */
export const imageArchitecture = stackPolicy(
  {
    name: "image-architecture",
    description:
      "Every image of the catalogue, and every own one whose platforms are stated, is made for the CPU architecture of all nodes that its pods may be scheduled to.",
    severity: "high",
    enforcementLevel: "mandatory",
    tags: ["scheduling", "supply-chain"],
    remediationSteps:
      "Take machines of an architecture that the image is made for, or keep its pods away from the others by a node selector on kubernetes.io/arch.",
  },
  (resources, report) => {
    const reading = readPlan(resources);
    const pools = reading.state === "read" ? reading.plan.pools.flatMap(poolOf) : [];
    const models = reading.state === "read" ? reading.plan.models : [];
    for (const resource of pools.length > 0 ? resources : []) {
      judgePods(resource, pools, models, report);
      if (HELM_CHART.test(resource.type)) {
        judgeChart(resource, pools, report);
      }
    }
  },
);

function judgePods(resource: Resource, pools: readonly Pool[], models: PlanFacts["models"], report: Report): void {
  for (const pod of podTemplates(resource).filter(({ isPartial }) => !isPartial)) {
    const reached = reachablePools(pools, pod.spec);
    for (const image of pod.containers.map(({ field }) => field.get("image"))) {
      const reference = image.text();
      if (reference !== undefined) {
        const architectures = architecturesOf(reference) ?? statedArchitectures(reference, models);
        judge({ resource, field: image, reference, architectures, reached }, report);
      }
    }
  }
}

function judgeChart(resource: Resource, pools: readonly Pool[], report: Report): void {
  const field = resource.props.get("chart");
  const images = chartImagesOf(resource);
  if (images === undefined && pools.some(({ arch }) => arch !== CUSTOMARY)) {
    field.cannotTell(`platforms of the images of chart ${field.text() ?? resource.name}`);
  }
  for (const { reference, architectures, placements } of images ?? []) {
    const reached = pools.filter((pool) => placements.some((each) => reachablePools(pools, each).includes(pool)));
    judge({ resource, field, reference, architectures, reached }, report);
  }
}

interface Case {
  readonly resource: Resource;
  readonly field: Field;
  readonly reference: string;
  readonly architectures: readonly string[] | undefined;
  readonly reached: readonly Pool[];
}

function judge({ resource, field, reference, architectures, reached }: Case, report: Report): void {
  if (architectures === undefined) {
    if (reached.some(({ arch }) => arch !== CUSTOMARY)) {
      field.cannotTell(`platforms of image ${reference}`);
    }
    return;
  }
  const foreign = reached.filter(({ arch }) => !architectures.includes(arch));
  if (foreign.length > 0) {
    report({
      resource,
      field,
      found: `has image ${reference}, made for ${architectures.join(" and ")}`,
      allowed: `an image for ${foreign.map(({ name, arch }) => `${arch} (pool ${name})`).join(", ")}, where its pods may go`,
    });
  }
}

function poolOf({ name, cpuArch, selector, labels = {}, taints }: PlanFacts["pools"][number]): Pool[] {
  if (cpuArch === undefined) {
    return [];
  }
  const known = { "kubernetes.io/arch": cpuArch, "kubernetes.io/os": "linux" };
  return [{ name, arch: cpuArch, labels: { ...known, ...labels, ...selector }, taints }];
}
