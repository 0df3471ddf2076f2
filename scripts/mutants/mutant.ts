import { createHash } from "node:crypto";
import ts from "typescript";
import type { Edit, Operator } from "./operators/edit";
import { EXPRESSIONS } from "./operators/expressions";
import { REMOVALS } from "./operators/removals";
import { emptyReturn } from "./operators/returns";

export const OPERATORS: Readonly<Record<string, Operator>> = {
  ...EXPRESSIONS,
  ...REMOVALS,
  "empty return": emptyReturn,
};

/** One wrong change of one place of the product. */
export interface Mutant extends Edit {
  /**
   * Of what is changed where: file, operator, enclosing names, the lines and the change. No line number, so that a mutant
   * is found again in another commit as long as its lines are the same.
   */
  readonly id: string;
  /** Path from the root. */
  readonly file: string;
  /** Key of `OPERATORS`. */
  readonly operator: string;
  /** From 1. */
  readonly line: number;
  readonly before: string;
}

/** All mutants of a file, in the order of its text; none of types, imports, and what is thrown, which is text for people. */
export function mutantsOf(file: string, text: string): Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Mutant[] = [];
  const rows = text.split("\n").map((row) => row.trim());
  const times = new Map<string, number>();
  const add = (node: ts.Node, operator: string, edit: Edit) => {
    const first = source.getLineAndCharacterOfPosition(edit.start).line;
    const last = source.getLineAndCharacterOfPosition(edit.end).line;
    const before = text.slice(edit.start, edit.end);
    const place = [file, operator, scopeOf(node), before.trim(), edit.after, ...rows.slice(first, last + 1)].join("\n");
    const nth = times.get(place) ?? 0;
    times.set(place, nth + 1);
    const id = createHash("sha256").update(`${place}\n${nth}`).digest("hex").slice(0, 12);
    found.push({ ...edit, id, file, operator, line: first + 1, before });
  };
  const visit = (node: ts.Node): void => {
    if (isLeftAlone(node)) {
      return;
    }
    for (const [operator, editsOf] of Object.entries(OPERATORS)) {
      for (const edit of editsOf(node)) {
        add(node, operator, edit);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The text with the mutants in it, which must not overlap. */
export function mutated(text: string, mutants: readonly Edit[]): string {
  return [...mutants]
    .sort((a, b) => b.start - a.start)
    .reduce((all, { start, end, after }) => `${all.slice(0, start)}${after}${all.slice(end)}`, text);
}

/** Whether a file has code: not tables of data or declarations of types alone. */
export function hasCode(file: string, text: string): boolean {
  const visit = (node: ts.Node): boolean =>
    (ts.isFunctionLike(node) && "body" in node && node.body !== undefined) || (ts.forEachChild(node, visit) ?? false);
  return visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false));
}

function isLeftAlone(node: ts.Node): boolean {
  const isError = ts.isNewExpression(node) && /Error$/.test(node.expression.getText());
  return (
    isError ||
    ts.isTypeNode(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    ts.isHeritageClause(node) ||
    ts.isThrowStatement(node)
  );
}

/** Names of the declarations around a node. */
function scopeOf(node: ts.Node): string {
  const names: string[] = [];
  for (let around: ts.Node | undefined = node; around; around = around.parent) {
    const name =
      ts.isFunctionLike(around) || ts.isClassDeclaration(around) || ts.isVariableDeclaration(around)
        ? around.name
        : undefined;
    names.unshift(...(name ? [name.getText()] : []));
  }
  return names.join(".");
}
