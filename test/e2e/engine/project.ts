import { chmodSync, copyFileSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { repositoryRoot } from "../../../names/repository-root";

/**
 * The repository as `pulumi` sees it, in another folder: Pulumi writes into the environments' files, so those are
 * copies, and all else is linked.
 */
export function copyProject(folder: string): string {
  const project = join(folder, "project");
  mkdirSync(project);
  for (const entry of readdirSync(repositoryRoot())) {
    const original = join(repositoryRoot(), entry);
    if (/^Pulumi\..*yaml$/.test(entry)) {
      copyFileSync(original, join(project, entry));
    } else if (!entry.startsWith(".")) {
      symlinkSync(original, join(project, entry));
    }
  }
  return project;
}

/** A folder for PATH with the language host of these tests; Pulumi's own, beside its command line, goes before it. */
export function languageHostFolder(folder: string): string {
  const bin = join(folder, "language-host");
  mkdirSync(bin);
  const tsx = pathToFileURL(createRequire(__filename).resolve("tsx")).href;
  const host = join(__dirname, "language-host", "host.ts");
  const launcher = join(bin, "pulumi-language-nodejs");
  writeFileSync(launcher, `#!/bin/sh\nexec "${process.execPath}" --import "${tsx}" "${host}" "$@"\n`);
  chmodSync(launcher, 0o755);
  return bin;
}
