import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { repositoryRoot } from "../../names/repository-root";

/** One import, as it stands in a file. */
export interface Import {
  /** Path of the importing file, from the root. */
  readonly file: string;
  readonly line: number;
  /** Path of what it names, from the root, or the name of a package. */
  readonly target: string;
  readonly isPackage: boolean;
  /** `import type`, or nothing but types in the braces: gone when the program runs. */
  readonly isType: boolean;
}

/** What no checkout has: .gitignore names it. Git itself may be missing, and a downloaded archive is no repository. */
const NOT_OURS = new Set(["node_modules", "dist", "coverage"]);

/** TypeScript files of a folder, from the root. */
export function typeScriptFiles(folder = ""): string[] {
  return readdirSync(join(repositoryRoot(), folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      return NOT_OURS.has(entry.name) || entry.name.startsWith(".") ? [] : typeScriptFiles(path);
    }
    return entry.isFile() && path.endsWith(".ts") ? [path] : [];
  });
}

/** Source files of the program, from the root, less tests, configuration, and what other repositories start with. */
export function sourceFiles(): string[] {
  return typeScriptFiles().filter((file) => file.includes("/") && !/^(test|template)\//.test(file));
}

/**
 * All that a file imports: statically or not, values, types and `export … from`.
 * @param root of the checkout that the file is in
 */
export function importsOf(
  file: string,
  text = readFileSync(join(repositoryRoot(), file), "utf8"),
  root = repositoryRoot(),
): Import[] {
  const source = ts.createSourceFile(file, upToLastImport(text), ts.ScriptTarget.Latest, false);
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, isType: boolean) => {
    if (!specifier || !ts.isStringLiteralLike(specifier)) {
      return;
    }
    const isPackage = !specifier.text.startsWith(".");
    const target = isPackage ? specifier.text : resolved(join(dirname(file), specifier.text), root);
    const line = source.getLineAndCharacterOfPosition(specifier.pos).line + 1;
    found.push({ file, line, target, isPackage, isType });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      add(node.moduleSpecifier, isTypeImport(node.importClause));
    } else if (ts.isExportDeclaration(node)) {
      add(node.moduleSpecifier, node.isTypeOnly);
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal, true);
    } else if (ts.isCallExpression(node) && isLoading(node.expression)) {
      add(node.arguments[0], false);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Most of a file is behind its last import, and need not be parsed. */
function upToLastImport(text: string): string {
  const last = [...text.matchAll(SPECIFIER)].at(-1);
  return last === undefined ? "" : text.slice(0, last.index + last[0].length);
}

/** Whatever may be one, also in a text or comment. */
const SPECIFIER = /\b(?:from|import|require)\b[\s(]*(["'`])[^"'`\n]*\1[\s,]*\)?/g;

function isTypeImport(clause: ts.ImportClause | undefined): boolean {
  if (!clause || clause.isTypeOnly) {
    return clause !== undefined;
  }
  const { name, namedBindings } = clause;
  return (
    !name && !!namedBindings && ts.isNamedImports(namedBindings) && namedBindings.elements.every((e) => e.isTypeOnly)
  );
}

function isLoading(callee: ts.Expression): boolean {
  return callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === "require");
}

/** The file that a relative import means. */
function resolved(path: string, root: string): string {
  const names = [path, `${path}.ts`, `${path}/index.ts`, `${path}.json`, path.replace(/\.js$/, ".ts")];
  return names.find((name) => /\.\w+$/.test(name) && existsSync(join(root, name))) ?? path;
}
