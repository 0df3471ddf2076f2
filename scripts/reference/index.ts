/** `npm run reference`: writes docs/reference and the list of decisions, pages that are made from other data. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { repositoryRoot } from "../../names/repository-root";
import { alertsPage } from "./alerts";
import { machinesPage, modelsPage } from "./catalogue";
import { COMMANDS_PAGE, commandsPage } from "./commands";
import { DECISIONS_PAGE, decisionsPage } from "./decisions";
import { enginePage, enginesWithOptions } from "./engine-options";
import { policiesPage } from "./policies";

/** The text of every other page by its path from the repository's root. */
export function referencePages(): ReadonlyMap<string, string> {
  return new Map([
    ["docs/reference/policies.md", policiesPage()],
    ["docs/reference/alerts.md", alertsPage()],
    ["docs/reference/models.md", modelsPage()],
    ["docs/reference/machines.md", machinesPage()],
    [DECISIONS_PAGE, decisionsPage()],
    ...enginesWithOptions.map((engine): [string, string] => [
      `docs/reference/${engine}-options.md`,
      enginePage(engine),
    ]),
  ]);
}

async function main(): Promise<void> {
  for (const [path, text] of [...referencePages(), [COMMANDS_PAGE, await commandsPage()] as const]) {
    const file = join(repositoryRoot(), path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

if (process.argv[1] === __filename) {
  void main();
}
