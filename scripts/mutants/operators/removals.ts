import ts from "typescript";
import { type Edit, isProse, type Operator, removeItem, replace } from "./edit";

/** Calls, assignments, guards without an `else`, and `continue`. What must be there, as `super()`, is left to the type check. */
function statement(node: ts.Node): Edit[] {
  const isRemovable =
    ts.isExpressionStatement(node) || ts.isContinueStatement(node) || (ts.isIfStatement(node) && !node.elseStatement);
  const isItem = node.parent && (ts.isBlock(node.parent) || ts.isSourceFile(node.parent));
  return isRemovable && isItem ? [replace(node, "")] : [];
}

function itemsOf(list: ts.NodeArray<ts.Node>): Edit[] {
  return list.flatMap((item, index) => (isProse(item) ? [] : [removeItem(list, index)]));
}

/** The last argument: one that is not optional is left to the type check. */
function argument(node: ts.Node): Edit[] {
  const list = ts.isCallExpression(node) || ts.isNewExpression(node) ? node.arguments : undefined;
  const last = list?.at(-1);
  return list && last && !isProse(last) ? [removeItem(list, list.length - 1)] : [];
}

export const REMOVALS: Readonly<Record<string, Operator>> = {
  "removed statement": statement,
  "removed element": (node) => (ts.isArrayLiteralExpression(node) ? itemsOf(node.elements) : []),
  "removed property": (node) => (ts.isObjectLiteralExpression(node) ? itemsOf(node.properties) : []),
  "removed argument": argument,
};
