import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { engineNames } from "../../engines";
import { repositoryRoot } from "../../names/repository-root";
import { sourceFiles } from "./imports";

/** An engine's own files, by its name. */
function ownFiles(engine: string): RegExp[] {
  return [
    new RegExp(`^engines/${engine}/`),
    new RegExp(`^components/serving/(scripts/)?${engine}-[^/]+\\.ts$`),
    new RegExp(`^services/model-control/src/backends/${engine}\\.ts$`),
  ];
}

/** Where rows stand, and what else may say a name: each with the reason. */
const ALLOWED: readonly { readonly files: RegExp; readonly because: string }[] = [
  {
    files: /^(engines\/(standard|retired)|platform\/standard-parts)\.ts$/,
    because: "the tables of descriptors, and of what has none",
  },
  { files: /^components\/serving\/standard-servers\.ts$/, because: "the table of components" },
  { files: /^services\/model-control\/src\/backends\/(backend|create)\.ts$/, because: "the table of backends" },
  {
    files: /^(engines\/(sources|served-model)|report\/json\/(models|source))\.ts$/,
    because: "a registry is a kind of source",
  },
  { files: /^planner\/model\//, because: "readers say whose code a limit was read in" },
  {
    files: /^stacks\/config\/(core\/)?sections\/(images|models|own-image)\.ts$/,
    because: "examples of images and variables",
  },
  { files: /^policies\/rules\/service-links-off\.ts$/, because: "the case that the policy was written for" },
  { files: /^rehearsal\/parts\/parts\.ts$/, because: "programs that are installed" },
  { files: /^components\/argo-cd\/health\.ts$/, because: "kinds of objects, and when Argo CD takes them for healthy" },
  {
    files: /^rehearsal\/(workloads|report\/schema|cluster\/[a-z-]+)\.ts$/,
    because: "kinds of objects, and the operators of others that make pods of them",
  },
  {
    files: /^components\/core\/people-roles\.ts$/,
    because: "API groups of operators, in whose objects people may look",
  },
  { files: /^components\/tracing\/span-attributes\.ts$/, because: "names of attributes, whoever reports them" },
  { files: /^cli\/smoke\//, because: "a client of servers, which speaks an engine's own API where no platform is" },
  { files: /^cli\/measure\//, because: "the same, and a reader of what a program of one of them writes" },
  { files: /^cli\/import(\/|\.ts$)/, because: "files of other platforms, and how each calls an engine" },
  { files: /^cli\/doctor\/checks\/controllers\.ts$/, because: "operators of others, which a cluster may have already" },
  {
    files: /^services\/model-control\/src\/(laptop|main|model-name|fleet\/pulling)\.ts$/,
    because: "drives the one engine with a registry, which is what a laptop has",
  },
  {
    files:
      /^(services\/model-control\/src\/relay\/|components\/gateway\/run-time-models\.ts|components\/model-control\/relay-settings\.ts|stacks\/addons\/model-control\/)/,
    because: "offers clients that engine's own API, which they know by its name",
  },
];

interface Mention {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** A name in any spelling, as a word of its own: `isOllama` and `OLLAMA_HOST` say one, `limitGiB` does not say "tgi". */
function asWord(name: string): string {
  const anyCase = [...name].map((letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`).join("");
  return `(?:(?<![A-Za-z])|(?<=[a-z\\d])(?=[A-Z]))${anyCase}`;
}

/** Engines' names in identifiers, strings and templates; comments may cite an engine as a source. */
function mentionsIn(file: string, text: string): Mention[] {
  const names = new RegExp(engineNames.map(asWord).join("|"));
  if (!names.test(text)) {
    return [];
  }
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Mention[] = [];
  const visit = (node: ts.Node): void => {
    const words = ts.isIdentifier(node) || ts.isLiteralExpression(node) || ts.isTemplateLiteralToken(node);
    const isPath = ts.isStringLiteral(node) && ts.isImportDeclaration(node.parent);
    if (words && !isPath && names.test(node.text)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      found.push({ file, line: line + 1, text: node.text.slice(0, 60) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function strangers(): Mention[] {
  const own = engineNames.flatMap(ownFiles);
  return sourceFiles()
    .filter((file) => ![...own, ...ALLOWED.map(({ files }) => files)].some((files) => files.test(file)))
    .flatMap((file) => mentionsIn(file, readFileSync(join(repositoryRoot(), file), "utf8")));
}

describe("names of engines", () => {
  it("stand in the engines' own files and in the tables alone", () => {
    const found = strangers().map(({ file, line, text }) => `${file}:${line}: ${text}`);
    expect(found, "ask the descriptor (engines/engine.ts) instead, or give it the question").toEqual([]);
  });

  it("are seen in identifiers, strings and templates, and not in comments", () => {
    const [name = ""] = engineNames;
    const hump = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    const text = `// ${name}\nconst a = "${name}:x";\nconst is${hump} = \`\${a} of ${name.toUpperCase()}_1\`;\nlet a${name};\n`;
    expect(mentionsIn("a.ts", text).map(({ line }) => line)).toEqual([2, 3, 3]);
  });
});
