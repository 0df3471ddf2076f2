import { MESH_LABELS, MESH_OUTSIDERS } from "../../names/mesh-members";
import groups from "../data/group-kinds.json";
import { createdNamespace } from "../lib/created-namespaces";
import type { Field } from "../lib/field";
import { stackPolicy } from "../lib/policy";
import { namespaceOf, type Resource } from "../lib/resource";

const LABELS = Object.values(MESH_LABELS);
type MeshLabel = (typeof LABELS)[number];

const ISTIO_OBJECT = /^kubernetes:([a-z0-9]+\.)*istio\.io\//;

export const meshMembers = stackPolicy(
  {
    name: "mesh-members",
    description:
      "Where there is a mesh, every namespace that the stack creates is in it; outside are only those that are listed with a reason, and models whose pods compute together across nodes.",
    severity: "high",
    enforcementLevel: "mandatory",
    tags: ["isolation", "mesh"],
    remediationSteps:
      "Create the namespace with IsolatedNamespace, which takes it into the mesh; a namespace of the platform that cannot be in it is listed in names/mesh-members.ts.",
  },
  (resources, report) => {
    const namespaces = resources.filter(({ kind }) => kind === "Namespace");
    const mode = modeOf(namespaces);
    const hasMesh = mode !== undefined || resources.some(({ type }) => ISTIO_OBJECT.test(type));
    for (const resource of resources) {
      const name = createdNamespace(resource);
      if (name === undefined || mayStayOutside(name, mode, resources) || isDeclared(resource, name, namespaces)) {
        continue;
      }
      const field = leaving(resource, mode, hasMesh);
      if (field !== undefined) {
        report({ resource, field, found: "is outside of the mesh", allowed: "a namespace in the mesh" });
      }
    }
  },
);

/** Whether Helm finds a release's namespace, which is then judged itself. */
function isDeclared({ kind }: Resource, name: Field, namespaces: readonly Resource[]): boolean {
  return (
    kind === undefined &&
    namespaces.some(
      ({ isPatch, props }) => !isPatch && !props.get("metadata", "name").is((value) => value !== name.value),
    )
  );
}

function labelOf({ props }: Resource, key: string): Field {
  return props.get("metadata", "labels", key);
}

/** The label of most namespaces; undefined without one. */
function modeOf(namespaces: readonly Resource[]): MeshLabel | undefined {
  const members = LABELS.map((label) => ({
    label,
    count: namespaces.filter((resource) => labelOf(resource, label.key).value === label.inside).length,
  }));
  return members.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count)[0]?.label;
}

/**
 * Outside explicitly, or by silence while others are in a mesh. A patch removes a namespace by any
 * value but the member's, also `null`, even from a mesh of another stack.
 */
function leaving(resource: Resource, mode: MeshLabel | undefined, hasMesh: boolean): Field | undefined {
  const { isPatch, kind, props } = resource;
  const labels = LABELS.map((label) => ({ ...label, field: labelOf(resource, label.key) }));
  const outside = labels.find(({ field, inside, outside: value }) =>
    field.is((given) => (isPatch ? given !== undefined && given !== inside : hasMesh && given === value)),
  )?.field;
  const isSilent = mode !== undefined && !isPatch && labelOf(resource, mode.key).is((given) => given !== mode.inside);
  return (
    outside ?? (isSilent ? (kind === undefined ? props.get("namespace") : props.get("metadata", "labels")) : undefined)
  );
}

function mayStayOutside(name: Field, mode: MeshLabel | undefined, resources: readonly Resource[]): boolean {
  const outsiders = MESH_OUTSIDERS.filter(
    (outsider) => mode === undefined || outsider.mode === undefined || MESH_LABELS[outsider.mode] === mode,
  );
  return (
    !name.is((value) => !outsiders.some(({ namespace }) => namespace === value)) ||
    resources.some(
      (resource) =>
        groups.kinds.includes(resource.kind ?? "") &&
        !namespaceOf(resource).is((value) => value !== name.value) &&
        !isOfSinglePods(resource),
    )
  );
}

/** Whether groups have one pod each (default), which computes alone. */
function isOfSinglePods({ kind, props }: Resource): boolean {
  return (
    kind === "LeaderWorkerSet" && props.get("spec", "leaderWorkerTemplate", "size").is((size) => !(Number(size) > 1))
  );
}
