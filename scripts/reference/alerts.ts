import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../names/repository-root";
import { markdownTable } from "../../stacks/config/markdown-table";
import { firstSentence } from "./first-sentence";
import { code, page } from "./page";

const ENTRY =
  /^### (?<alert>[A-Z]\w+)\n\nSeverity: (?<severity>\w+)[^\n]*\n\n\*\*Meaning\.\*\* (?<meaning>[\s\S]*?)\n\n/gm;

/** Every alert with its entry in the runbook, in the runbook's order. */
export function alertsPage(): string {
  const runbook = readFileSync(join(repositoryRoot(), "docs/operations.md"), "utf8");
  const sections = runbook
    .split(/^## /m)
    .map((section) => ({ title: section.split("\n", 1)[0] ?? "", entries: [...section.matchAll(ENTRY)] }))
    .filter(({ entries }) => entries.length > 0);
  const tables = sections.map(({ title, entries }) => {
    const rows = entries.map(({ groups: { alert = "", severity = "", meaning = "" } = {} }) => [
      `[${code(alert)}](../operations.md#${alert.toLowerCase()})`,
      severity,
      firstSentence(meaning),
    ]);
    return `## ${title}\n\n${markdownTable(["Alert", "Severity", "Meaning"], rows)}`;
  });
  return page(
    "Alerts",
    "docs/operations.md",
    "Every alert of the platform: how severe it is, what it means, and a link to its entry in the runbook with impact, diagnosis and fix. Receivers are set under [alerts](../alerts.md).",
    ...tables,
  );
}
