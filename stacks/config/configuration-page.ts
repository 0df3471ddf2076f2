/** Writes docs/configuration.md: every key of an environment file, from its schema. */
import { stringify } from "yaml";
import { NAMESPACE } from "./core/schema";
import { allowedText, type FieldSchema, flowYaml, inputSchema } from "./field-text";
import { markdownTable } from "./markdown-table";
import { secretKeys } from "./secrets";
import { tagField, type UnionField, unionOf } from "./union-fields";

/** From the repository root. */
export const PAGE_FILE = "docs/configuration.md";

/** Stable, so that a test can compare it. */
export function configurationPage(): string {
  const { properties = {}, required = [] } = inputSchema();
  const isSecret = (key: string) => secretKeys.some((secret) => secret === key);
  const sections = Object.entries(properties).filter(([key]) => !isSecret(key));
  const secrets = Object.entries(properties).filter(([key]) => isSecret(key));
  return [
    INTRODUCTION,
    ...sections.map(([key, field]) => sectionText(key, field, required.includes(key))),
    secretsText(secrets),
  ].join("\n");
}

const INTRODUCTION = `# Configuration

<!-- Generated from stacks/config by npm run schema. Do not edit. -->

Every key of \`Pulumi.<environment>.yaml\`: what it means, its unit, what is allowed and its default.

Ours are under \`config:\` and begin with \`${NAMESPACE}:\`; keys of other namespaces are
left to their owners, unless they look like a typing error of ours. \`npm run plan\` checks a file and lists every mistake with its line; editors
that know the YAML language server complete keys and show the same texts (\`schemas/environment.schema.json\`). Pulumi sets single values too:
\`pulumi config set --path '${NAMESPACE}:models.chat.concurrency' 8\`.

Values that Pulumi ESC brings (\`environment:\`) exist in \`pulumi up\` only: \`plan\`, \`render\` and \`rehearse\` read the file alone and say so.

## Naming a model

Any repository of Hugging Face is a model: \`model: hf://org/name\`, then \`npm run pin -- <environment>\`, which writes the commit and keeps what plans read next to the environment's
file ([own weights](own-weights.md#a-repository-of-hugging-face-outside-the-catalogue)). Models of the catalogue (\`npm run list -- models\`) need no such files: by their name, or by their repository there:

\`\`\`yaml
${NAMESPACE}:models:
  chat: { model: qwen2.5-7b-instruct }
  embed: { model: BAAI/bge-m3 }
\`\`\`

Clients name a model by its key here. Clients that cannot be changed keep the names that they have:

\`\`\`yaml
${NAMESPACE}:models:
  chat: { model: qwen2.5-7b-instruct, servedName: qwen2.5-7b, aliases: [assistant-v1, Qwen/Qwen2.5-7B-Instruct] }
\`\`\`

Weights that are elsewhere: \`source\`, with the model or with its own \`config.json\`. The file can be copied from the repository;
of a model type that is not known the weight files must lie next to it ([why](sizing.md#where-the-weights-are-known-from));
a relative path starts at the folder of the environment's file. \`source\` also moves a catalogue model to a copy, or to a fixed commit, which
\`npm run pin -- <environment>\` writes, for adapters too. What a name states must be what is planned: the format in a registry's tag (\`llama3.1:8b-instruct-fp16\`) counts as
if \`quantization\` said it, and a size (\`14b\`) or a format (\`-AWQ\`, \`-FP8\`) that contradicts the model's parameters or weights is refused.

\`\`\`yaml
${NAMESPACE}:models:
  mine:
    config: models/my-model/config.json
    source: hf://my-organization/my-model@0123456789abcdef0123456789abcdef01234567
\`\`\`

## Service levels and traffic

What clients ask of a model, and how fast it is to answer:

\`\`\`yaml
${NAMESPACE}:models:
  chat:
    model: qwen2.5-7b-instruct
    traffic: { requestsPerSecond: 2, inputTokens: 1000, outputTokens: 300 }
    serviceLevel: { availability: 0.999, ttftMs: 2000, tpotMs: 50, percentile: 99 }
\`\`\`

The plan then takes the layout and the number of replicas that keep the times at the peak for least, by predicted speeds
([how](service-levels.md)). Predictions have an error: the worse edge of their interval decides, at \`confidence\`.

- \`replicas\` and \`concurrency\` follow from the traffic where the file does not say them; replicas with one more where \`availability\` is
  declared. Where the file says them they stay: too few replicas are refused, with the number that it takes.
- Without traffic the times are held against one request alone, and the plan says so.
- Where the speed of a model is unknown (on CPUs, on parts of GPUs, several models on one server), nothing is sized, and the plan says so.
- \`npm run plan\` shows for each model the time for each token, the time to the first one, tokens a second and the price of a million
  tokens, with and without traffic.
`;

function sectionText(key: string, field: FieldSchema, isRequired: boolean): string {
  const example = field.example === undefined ? "" : exampleBlock(key, field.example);
  const status = isRequired ? "Required." : "";
  const only = rowsBelow(field, key);
  const rows = only.length > 0 ? only : [row(key, field, isRequired)];
  return `## ${key}\n\n${[field.description, status].filter(Boolean).join(" ")}\n${example}\n${tableText(rows)}`;
}

function exampleBlock(key: string, example: unknown): string {
  return `\n\`\`\`yaml\n${stringify({ [`${NAMESPACE}:${key}`]: example }, { lineWidth: 0 })}\`\`\`\n`;
}

function secretsText(secrets: readonly (readonly [string, FieldSchema])[]): string {
  const rows = [
    ...secrets.map(([key, field]) => [`\`${key}\``, field.description ?? "", allowedText(field)]),
    [
      "`<name>ApiKey`",
      "A secret that a `secretKey` names: of a consumer that has a key already (`gateway.consumers.<name>`, at least 16 characters), of a hosted model (`models.<name>.external`), of a bucket or an OCI registry with weights (`storage.buckets.<name>`, `storage.registries.<name>`), of the registrar (`nodes.registrar`).",
      "what the page of that setting says: a key without spaces, except for registries",
    ],
  ];
  return `## Secrets

Each has a key of its own, and only encrypted values are taken: \`pulumi config set --secret ${NAMESPACE}:<key>\`.

${markdownTable(["Key", "What it is", "Allowed"], rows)}`;
}

type Row = readonly [key: string, description: string, allowed: string, byDefault: string];

function tableText(rows: readonly Row[]): string {
  return markdownTable(["Key", "What it decides", "Allowed", "Default"], rows);
}

/** A row per value below a field; mappings and lists of mappings have their content's rows. */
function rowsBelow(field: FieldSchema, path: string): Row[] {
  const union = unionOf(field);
  if (union !== undefined) {
    return unionRows(union, path);
  }
  const required = new Set(field.required);
  const own = Object.entries(field.properties ?? {}).flatMap(([key, child]) =>
    rowsAt(child, `${path}.${key}`, required.has(key)),
  );
  const { additionalProperties: others, description } = field;
  const named = typeof others === "object" ? rowsAt({ description, ...others }, `${path}.<name>`) : [];
  return [...own, ...named];
}

function rowsAt(field: FieldSchema, path: string, isRequired = false): Row[] {
  const below = rowsBelow(field, path);
  // For several types: the value, then the content of its mappings.
  const inside = (field.anyOf ?? []).flatMap((form) => rowsBelow(form, path)).filter(([, says]) => says !== "");
  return below.length > 0 ? below : [row(path, field, isRequired), ...inside];
}

/** The tag with its values' meanings; then each key, once for members that agree. */
function unionRows(union: UnionField, path: string): Row[] {
  const { tag, members } = union;
  const names = new Map<string, { readonly row: Row; readonly of: string[] }>();
  for (const [name, { properties = {}, required = [] }] of members) {
    for (const [key, child] of Object.entries(properties).filter(([each]) => each !== tag)) {
      for (const each of rowsAt(child, `${path}.${key}`, required.includes(key))) {
        const id = JSON.stringify(each);
        names.set(id, { row: each, of: [...(names.get(id)?.of ?? []), name] });
      }
    }
  }
  const keys = [...names.values()].map(({ row: [key, description, ...rest], of }): Row => {
    const [without, ...more] = [...members.keys()].filter((name) => !of.includes(name));
    const nearlyAll = without !== undefined && more.length === 0 && of.length > 1;
    const only = nearlyAll ? `Not with ${tag} ${code(without)}: ` : `With ${tag} ${of.map(code).join(", ")}: `;
    return [key, (without === undefined ? "" : only) + description, ...rest];
  });
  return [row(`${path}.${tag}`, tagField(union), union.byDefault === undefined), ...byKey(keys)];
}

/** Rows of a key together, in order of first appearance. */
function byKey(rows: readonly Row[]): Row[] {
  const keys = [...new Set(rows.map(([key]) => key))];
  return keys.flatMap((key) => rows.filter(([each]) => each === key));
}

function row(path: string, field: FieldSchema, isRequired: boolean): Row {
  const byDefault = field.default === undefined ? (isRequired ? "required" : "") : code(flowYaml(field.default));
  return [code(path), field.description ?? "", allowedText(field), byDefault];
}

function code(text: string): string {
  return `\`${text}\``;
}
