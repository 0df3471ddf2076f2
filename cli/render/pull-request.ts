/** Text of a pull request: differences of plans and objects. */
import { posix } from "node:path";
import type { FolderChanges } from "../../render/folder";
import { planDifference } from "../../report/plan-difference";
import type { RenderedAll, RenderedEnvironment } from "./all";

/** Named objects per kind of change: GitHub refuses texts above 65,536 characters. */
const MOST_OBJECTS = 40;
const MOST_CHARACTERS = 60_000;

/** Markdown, title first; empty without changed files. */
export function pullRequestText({ environments, skipped, removed }: RenderedAll): string {
  const changed = environments.filter(({ changes }) => hasChanges(changes));
  const names = [...changed.map(({ name }) => name), ...removed];
  if (names.length === 0) {
    return "";
  }
  const sections = [
    ...changed.map(section),
    ...removed.map(
      (name) =>
        `## ${name}\n\nThe environment is gone, and its folder goes. Argo CD deletes nothing: without the folder it stops with an error, and what runs goes on. Before the merge, \`pulumi destroy -s ${name}\` deletes it, but for what is protected.\n`,
    ),
    ...(skipped.length > 0 ? [skippedSection(skipped)] : []),
  ];
  const text = sections.join("\n");
  const rest =
    text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}\n\n… cut off: the diff has the rest.\n` : text;
  return `Render ${names.join(", ")}\n\n${rest}`;
}

function skippedSection(skipped: RenderedAll["skipped"]): string {
  return `## Not rendered\n\n${skipped.map(({ name, why }) => `- \`${name}\`: ${why}\n`).join("")}`;
}

function hasChanges({ added, changed, removed }: FolderChanges): boolean {
  return added.length + changed.length + removed.length > 0;
}

function section({ name, before, rendering: { plan, advice }, changes }: RenderedEnvironment): string {
  const lines = planDifference(before, plan);
  const objects = objectChanges(changes);
  return [
    `## ${name}\n\n`,
    `${lines.length === 0 ? "- The plan does not change: same models, replicas, machines and cost" : lines.join("\n")}\n`,
    ...(["added", "changed", "removed"] as const).map((kind) => objectLine(kind, objects[kind])),
    ...(advice.length > 0
      ? [`- Advice (${name}/README.md): ${[...new Set(advice.map(({ policy }) => policy))].join(", ")}\n`]
      : []),
    `- Before the merge: \`pulumi preview -s ${name}\`. Namespaces, Secrets and add-ons with rights of their own come from \`pulumi up\`\n`,
  ].join("");
}

type ObjectChanges = Readonly<Record<"added" | "changed" | "removed", readonly string[]>>;

/** By object, not file: one moved to another wave counts as changed. */
function objectChanges({ added, changed, removed }: FolderChanges): ObjectChanges {
  const [now, same, before] = [added, changed, removed].map((paths) => paths.flatMap(objectOf));
  const moved = (now ?? []).filter((object) => before?.includes(object));
  return {
    added: (now ?? []).filter((object) => !moved.includes(object)),
    changed: [...(same ?? []), ...moved].sort(),
    removed: (before ?? []).filter((object) => !moved.includes(object)),
  };
}

/**
 * `model-chat/deployment-model-chat` of `model-chat/07-deployment-model-chat.yaml`; empty for other
 * files.
 */
function objectOf(path: string): string[] {
  const [, name] = /^\d+-(.+)\.yaml$/.exec(posix.basename(path)) ?? [];
  return name === undefined ? [] : [posix.join(posix.dirname(path), name)];
}

function objectLine(kind: string, objects: readonly string[]): string {
  if (objects.length === 0) {
    return "";
  }
  const named = objects.slice(0, MOST_OBJECTS).map((object) => `\`${object}\``);
  const more = objects.length - named.length;
  return `- Objects ${kind}: ${objects.length} (${named.join(", ")}${more > 0 ? `, and ${more} more` : ""})\n`;
}
