/** `npm run schema`: writes pages and JSON Schemas generated from code. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../names/project-root";
import { PLAN_PAGE_FILE, PLAN_SCHEMA_FILE, planPage, planSchemaText } from "../report/json/generated";
import { configurationPage, PAGE_FILE } from "../stacks/config/configuration-page";
import { SCHEMA_FILE, schemaText } from "../stacks/config/json-schema";
import { FLEET_PAGE_FILE, fleetPage } from "./fleet/json-page";
import { COMING_FROM_PAGES } from "./import/coming-from-page";

/** Text by path from the repository root. */
const generated: Readonly<Record<string, () => string>> = {
  [SCHEMA_FILE]: schemaText,
  [PAGE_FILE]: configurationPage,
  [PLAN_SCHEMA_FILE]: planSchemaText,
  [PLAN_PAGE_FILE]: planPage,
  [FLEET_PAGE_FILE]: fleetPage,
  ...COMING_FROM_PAGES,
};

export const generatedFiles = Object.keys(generated);

/** With `--check` only reports whether files are current (exit status 1 if not). */
export function main(argv: readonly string[], root = projectRoot()): number {
  const files = Object.entries(generated).map(([path, text]) => ({ path: join(root, path), text: text() }));
  if (!argv.includes("--check")) {
    for (const { path, text } of files) {
      writeFileSync(path, text);
    }
    return 0;
  }
  return files.every(({ path, text }) => readFileSync(path, "utf8") === text) ? 0 : 1;
}

if (require.main === module) {
  process.exitCode = main(process.argv.slice(2));
}
