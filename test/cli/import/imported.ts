import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { type Imported, importDocuments } from "../../../cli/import/import-files";
import type { EntryKind } from "../../../cli/import/ledger";
import type { ImportOptions } from "../../../cli/import/options";
import { documentsOf, readDocuments } from "../../../cli/import/read-documents";
import { repositoryRoot } from "../../../names/repository-root";

/** Folder of the fixtures. */
export const FIXTURES = join(repositoryRoot(), "test", "cli", "import", "fixtures");

/** Paths of the files of one format, or of all, from the folder of fixtures. */
export function fixtureFiles(): string[] {
  const folders = readdirSync(FIXTURES, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.flatMap(({ name }) => readdirSync(join(FIXTURES, name)).map((file) => join(name, file))).sort();
}

/** Imports fixtures together. */
export function importFixtures(files: readonly string[], options: Partial<ImportOptions> = {}): Promise<Imported> {
  const documents = files.flatMap((file) => readDocuments(file, join(FIXTURES, file)));
  return importDocuments("imported", documents, { create: false, ...options }, repositoryRoot());
}

/** Imports one text. */
export function importText(text: string, options: Partial<ImportOptions> = {}): Promise<Imported> {
  return importDocuments("imported", documentsOf("file.yaml", text), { create: false, ...options }, repositoryRoot());
}

/** Sections of the environment, without their prefix. */
export function sectionsOf({ settled }: Imported): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const { config } = parse(settled?.text ?? "config: {}") as { config: Record<string, Record<string, unknown>> };
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [key.replace(/^inference-stacks:/, ""), value]),
  );
}

/** Models of the environment as its file has them. */
export function modelsOf(result: Imported): Readonly<Record<string, Record<string, unknown>>> {
  return (sectionsOf(result).models ?? {}) as Readonly<Record<string, Record<string, unknown>>>;
}

/** What became of the value at a path of the original. */
export function kindsAt({ entries }: Imported, path: string): EntryKind[] {
  return entries.filter((entry) => entry.path === path).map(({ kind }) => kind);
}
