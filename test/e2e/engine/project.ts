import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { repositoryRoot } from "../../../names/repository-root";

/** Charts are named by their repositories, which nobody asks here: a program that wants them as files fetches them first. */
export const CHARTS = { "inference-stacks:charts": "repository" } as const;

const isEnvironment = (file: string) => /^Pulumi\..+\.yaml$/.test(file);

/** @param original environment's file, and @param copy of it, with `CHARTS`. */
function copyEnvironment(original: string, copy: string): void {
  const [[key, value] = []] = Object.entries(CHARTS);
  writeFileSync(copy, readFileSync(original, "utf8").replace(/^config:$/m, `config:\n  ${key}: ${value}`));
}

/**
 * The repository as `pulumi` sees it, in another folder: Pulumi writes into the environments' files, so those are
 * copies, and all else is linked.
 */
export function copyProject(folder: string): string {
  const project = join(folder, "project");
  mkdirSync(project);
  for (const entry of readdirSync(repositoryRoot())) {
    const original = join(repositoryRoot(), entry);
    if (isEnvironment(entry)) {
      copyEnvironment(original, join(project, entry));
    } else if (!entry.startsWith(".")) {
      symlinkSync(original, join(project, entry));
    }
  }
  return project;
}

/** Folders of a checkout that are not of its sources: packages, which copies share, and what commands make. */
const NOT_SOURCES = ["node_modules", "dist", "__pycache__"];

/** The repository as a user has cloned and installed it, to change in it what a test needs: a program that runs there reads its files. */
export function copySources(folder: string): string {
  const project = join(folder, "checkout");
  mkdirSync(project);
  for (const entry of readdirSync(repositoryRoot())) {
    if (isEnvironment(entry)) {
      copyEnvironment(join(repositoryRoot(), entry), join(project, entry));
    } else if (!entry.startsWith(".") && entry !== "test" && !NOT_SOURCES.includes(entry)) {
      cpSync(join(repositoryRoot(), entry), join(project, entry), {
        recursive: true,
        filter: (path) => !NOT_SOURCES.includes(basename(path)),
      });
    }
  }
  symlinkSync(join(repositoryRoot(), "node_modules"), join(project, "node_modules"));
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
