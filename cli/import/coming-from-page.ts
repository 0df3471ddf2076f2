/** Documentation page of each format, from its table of fields. */
import { FORMATS, type Format } from "./formats/table";
import { DEFAULTS } from "./options";
import schemaSources from "./schemas/sources.json";

export function comingFromFile({ name }: Pick<Format, "name">): string {
  return `docs/coming-from/${name}.md`;
}

export const COMING_FROM_PAGES: Readonly<Record<string, () => string>> = Object.fromEntries(
  FORMATS.map((format) => [comingFromFile(format), () => comingFromPage(format)]),
);

/** Command, and what becomes of every field. */
export function comingFromPage({ name, label, table }: Format): string {
  const { mapped, changed, lost } = table.rows;
  const source = schemaSources[name as keyof typeof schemaSources];
  return `# Coming from ${label}

<!-- Generated from cli/import/fields/${name}.json by npm run schema. Do not edit. -->

Turn files of ${label} into an environment, with an account of every value: what is mapped, changed or not mapped, and why.

\`\`\`sh
npm run import -- FILE... --out Pulumi.<name>.yaml --report import.json
npm run plan -- <name>
\`\`\`

Several files make one environment. The account names the line of each value, and what is wrong in the original. A field covers everything below it that has no row of its own. Fields: ${source.text}, ${source.asOf}.

What no file says has a default, which the environment marks: cluster \`${DEFAULTS.cluster}\` that exists, stage \`${DEFAULTS.stage}\`, host
\`${DEFAULTS.host}\`, one request of full length at once, and the first machine of a list on which the plan fits. \`npm run import -- --help\`
has the options. Secrets are never copied. A model outside the catalogue becomes \`model: hf://…\`, which \`npm run pin\` describes ([your own weights](../own-weights.md)).

## Mapped

| Field | Key of the environment |
|---|---|
${Object.entries(mapped)
  .map(([field, to]) => `| \`${field}\` | ${keys(to)} |\n`)
  .join("")}
## Changed

| Field | What takes its place |
|---|---|
${groups(changed)}
## Not mapped

| Field | Why |
|---|---|
${groups(lost)}`;
}

function groups(rows: Format["table"]["rows"]["changed"]): string {
  return rows
    .map(({ fields, why }) => `| ${fields.map((field) => `\`${field}\``).join(", ")} | ${cell(why)} |\n`)
    .join("");
}

function keys(text: string): string {
  return cell(text).replace(/\b(models|pools|gateway)(\.[\w*<>-]+)+/g, (key) => `\`${key}\``);
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
