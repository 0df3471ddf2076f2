import { ANNOTATIONS } from "../../names/labels";
import { type Field, isObject } from "../lib/field";
import { gpuClaims } from "../lib/gpu";
import { podTemplates } from "../lib/pods";
import { resourcePolicy } from "../lib/policy";
import { HELM_CHART, type Resource } from "../lib/resource";

/** MIG slices, and cards that the device plugin shares under an own name. */
const PART = /^nvidia\.com\/(mig-|.*\.shared$)/;

/** How the device plugin shares a resource: time-slicing or NVIDIA's MPS. */
const WAYS = ["timeSlicing", "mps"];

export const gpuExclusive = resourcePolicy(
  {
    name: "gpu-exclusive",
    description:
      "A GPU belongs to one pod unless it is shared on purpose: a pod that claims a part of a GPU is annotated with it, and device plugins offer shared cards under a name of their own.",
    severity: "high",
    enforcementLevel: "mandatory",
    tags: ["gpu", "isolation"],
    remediationSteps: `Part GPUs by pools.<name>.sharing, which annotates pods with ${ANNOTATIONS.gpuPart}; share cards in device-plugin configurations with renameByDefault: true.`,
  },
  (resource, report) => {
    for (const pod of podTemplates(resource).filter(({ isPartial }) => !isPartial)) {
      const part = gpuClaims(pod).find(({ resourceName }) => PART.test(resourceName));
      const said = pod.metadata.get("annotations", ANNOTATIONS.gpuPart);
      if (part && said.is((value) => typeof value !== "string" || value === "")) {
        report({
          resource,
          field: said,
          allowed: `what the pod's part of a GPU is: container ${part.container.name} claims ${part.resourceName}`,
        });
      }
    }
    for (const field of isConfiguration(resource) ? sharedCards(resource.props) : []) {
      report({
        resource,
        field,
        found: "holds cards that pods share under the name of whole ones",
        allowed: "renameByDefault: true, by which pods ask for nvidia.com/gpu.shared and no others get a part",
      });
    }
  },
);

function isConfiguration({ kind, type }: Resource): boolean {
  return kind === "ConfigMap" || HELM_CHART.test(type) || type === "oci:ContainerEngine/addon:Addon";
}

/** Sharing under the whole card's name, as objects or text. */
function sharedCards(field: Field): Field[] {
  if (typeof field.value === "string") {
    return isSharingText(field) ? [field] : [];
  }
  if (Array.isArray(field.value)) {
    return field.items().flatMap(sharedCards);
  }
  if (!isObject(field.value)) {
    return [];
  }
  return field.entries().flatMap(([key, child]) => {
    const shares = WAYS.includes(key) && Array.isArray(child.get("resources").value);
    return shares ? (child.get("renameByDefault").is((value) => value !== true) ? [child] : []) : sharedCards(child);
  });
}

function isSharingText(field: Field): boolean {
  const text = field.text() ?? "";
  if (!WAYS.some((way) => text.includes(way))) {
    return false;
  }
  try {
    return sharedCards(field.containing(JSON.parse(text))).length > 0;
  } catch {
    return yamlBlocks(text).some(
      (block) => /resources["']?\s*:/.test(block) && !/renameByDefault["']?\s*:\s*true/.test(block),
    );
  }
}

/** Without comments. */
function yamlBlocks(text: string): string[] {
  const lines = text.split("\n").filter((line) => !/^\s*(#|$)/.test(line));
  const depth = (line: string) => line.search(/\S/);
  return lines.flatMap((line, at) => {
    const key = /^\s*["']?(\w+)["']?\s*:/.exec(line)?.[1];
    if (key === undefined || !WAYS.includes(key)) {
      return [];
    }
    const below = lines.slice(at + 1);
    const end = below.findIndex((next) => depth(next) <= depth(line));
    return [[line, ...below.slice(0, end === -1 ? undefined : end)].join("\n")];
  });
}
