import type { RecordedResource } from "../../offline/run";
import { WIDTH, wrap } from "../style";

/** Every resource below its component. */
export function resourceTree(resources: readonly RecordedResource[]): string {
  return draw(resources, (r) => [`${r.name} (${r.type})`]);
}

/** Every component below its own, with how many resources of which kind it makes. */
export function componentTree(resources: readonly RecordedResource[]): string {
  const isComponent = (r: RecordedResource) => !r.custom;
  return draw(resources.filter(isComponent), (r, room) => {
    const kinds = new Map<string, number>();
    for (const { type } of resources.filter((child) => child.parent === r.urn && !isComponent(child))) {
      const kind = type.split(":").pop() ?? type;
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    const makes = [...kinds].map(([kind, count]) => (count > 1 ? `${count} ${kind}` : kind));
    const [first = "", ...rest] = wrap(
      `${r.name} (${r.type})${makes.length > 0 ? `: ${makes.join(", ")}` : ""}`,
      room,
      "",
    );
    return [first, ...rest.map((line) => `  ${line}`)];
  });
}

/** Lines of the tree. @param describe the lines of a resource, in so many columns. */
function draw(
  resources: readonly RecordedResource[],
  describe: (r: RecordedResource, room: number) => string[],
): string {
  const children = new Map<string | undefined, RecordedResource[]>();
  for (const r of resources) {
    const siblings = children.get(r.parent);
    if (siblings) {
      siblings.push(r);
    } else {
      children.set(r.parent, [r]);
    }
  }
  const lines: string[] = [];
  const walk = (parent: string | undefined, indent: string): void => {
    const siblings = children.get(parent) ?? [];
    siblings.forEach((r, i) => {
      const last = i === siblings.length - 1;
      const branch = parent === undefined ? "" : last ? "└─ " : "├─ ";
      const below = parent === undefined ? "" : `${indent}${last ? "   " : "│  "}`;
      const [first, ...rest] = describe(r, WIDTH - below.length - 2);
      lines.push(`${indent}${branch}${first}\n`, ...rest.map((line) => `${below}${line}\n`));
      walk(r.urn, below);
    });
  };
  walk(undefined, "");
  return lines.join("");
}
