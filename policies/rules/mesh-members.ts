import { MESH_LABELS, MESH_OUTSIDERS } from "../../names/mesh-members";
import groups from "../data/group-kinds.json";
import type { Field } from "../lib/field";
import { stackPolicy } from "../lib/policy";
import { namespaceOf, type Resource } from "../lib/resource";

const LABELS = Object.values(MESH_LABELS);
type MeshLabel = (typeof LABELS)[number];

export const meshMembers = stackPolicy(
  {
    name: "mesh-members",
    description:
      "Where there is a mesh, every namespace that the stack creates is in it; outside are only those that are listed with a reason, and models whose pods compute together across nodes.",
    severity: "high",
    enforcementLevel: "mandatory",
    tags: ["isolation", "mesh"],
    remediationSteps:
      "Create the namespace with IsolatedNamespace, which takes it into the mesh; a namespace of the platform that cannot be in it stands in names/mesh-members.ts.",
  },
  (resources, report) => {
    const namespaces = resources.filter(({ kind }) => kind === "Namespace");
    const mode = modeOf(namespaces);
    for (const resource of namespaces.filter((each) => !mayStayOutside(each, resources))) {
      const field = leaving(resource, mode);
      if (field !== undefined) {
        report({ resource, field, found: "is outside of the mesh", allowed: "a namespace in the mesh" });
      }
    }
  },
);

function labelOf({ props }: Resource, key: string): Field {
  return props.get("metadata", "labels", key);
}

/** The label by which most namespaces are in a mesh; undefined where none is. */
function modeOf(namespaces: readonly Resource[]): MeshLabel | undefined {
  const members = LABELS.map((label) => ({
    label,
    count: namespaces.filter((resource) => labelOf(resource, label.key).value === label.inside).length,
  }));
  return members.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count)[0]?.label;
}

/** Where a namespace says that it stays outside, or says nothing while others are in a mesh. */
function leaving(resource: Resource, mode: MeshLabel | undefined): Field | undefined {
  const outside = LABELS.map(({ key, outside: value }) => [labelOf(resource, key), value] as const).find(
    ([label, value]) => label.is((given) => given === value),
  )?.[0];
  const isSilent =
    mode !== undefined && !resource.isPatch && labelOf(resource, mode.key).is((given) => given !== mode.inside);
  return outside ?? (isSilent ? resource.props.get("metadata", "labels") : undefined);
}

function mayStayOutside({ props }: Resource, resources: readonly Resource[]): boolean {
  const name = props.get("metadata", "name");
  return (
    !name.is((value) => !MESH_OUTSIDERS.some(({ namespace }) => namespace === value)) ||
    resources.some(
      (resource) =>
        groups.kinds.includes(resource.kind ?? "") && !namespaceOf(resource).is((value) => value !== name.value),
    )
  );
}
