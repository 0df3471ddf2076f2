import { join } from "node:path";
import type { FolderChanges } from "../../render/folder";
import type { Rendering } from "../../render/index";
import { leftOutText } from "../../render/left-out";
import { table } from "../../report/style";
import type { AllArguments, RenderedAll } from "./all";

export function renderingJson(
  environment: string,
  folder: string,
  secretStore: string,
  { manifests, secrets, advice, leftOut }: Rendering,
  files: FolderChanges,
): object {
  const objects = manifests.map(({ object: { apiVersion, kind, metadata }, wave }) => {
    return { apiVersion, kind, namespace: metadata.namespace, name: metadata.name, wave };
  });
  return { environment, out: folder, secretStore, files, objects, leftOut, secrets, advice };
}

export function allJson({ secretStore }: AllArguments, out: string, all: RenderedAll): string {
  const environments = all.environments.map(({ name, folder, rendering, changes }) =>
    renderingJson(name, folder, secretStore, rendering, changes),
  );
  return `${JSON.stringify({ out, environments, skipped: all.skipped, removed: all.removed }, undefined, 2)}\n`;
}

/** A line each, then notes. */
export function allText({ out }: AllArguments, { environments, skipped, removed }: RenderedAll): string {
  const rows = environments.map(({ name, rendering, changes }) => [
    `✓ ${name}`,
    { text: `${rendering.manifests.length} objects`, align: "right" as const },
    filesText(changes),
  ]);
  const notes = environments.flatMap(({ name, rendering: { leftOut, advice, secrets } }) => [
    ...leftOut.map((object) => `! ${name}: ${leftOutText(object)}\n`),
    ...(advice.length > 0 ? [`! ${name}: advice on ${advice.length} points: ${join(out, name, "README.md")}\n`] : []),
    ...(secrets.length > 0 ? [`  ${name}: ${secrets.length} secret values: ${join(out, name, "SECRETS.md")}\n`] : []),
  ]);
  return [
    `inference-stacks · rendered to ${out}\n\n`,
    table(rows),
    ...skipped.map(({ name, why }) => `– ${name} skipped: ${why}\n`),
    ...removed.map((name) => `− ${name} removed: there is no such environment\n`),
    ...(notes.length > 0 ? ["\n", ...notes] : []),
    "\nNext: commit the folder (docs/gitops.md)\n",
  ].join("");
}

/** `1 added · 0 changed · 0 removed · 12 unchanged` */
export function filesText({ added, changed, removed, unchanged }: FolderChanges): string {
  return `${added.length} added · ${changed.length} changed · ${removed.length} removed · ${unchanged.length} unchanged`;
}
