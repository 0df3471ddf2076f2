import ts from "typescript";

/** A change of a source file: the characters from `start` up to `end` become `after`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly after: string;
}

/** All that an operator changes in this node, without its children; each edit is a mutant. */
export type Operator = (node: ts.Node) => readonly Edit[];

export function replace(node: ts.Node, after: string): Edit {
  return { start: node.getStart(), end: node.getEnd(), after };
}

/** Takes an item out of a list, with the comma that would be left over. */
export function removeItem(list: ts.NodeArray<ts.Node>, index: number): Edit {
  const [item, next, previous] = [list[index], list[index + 1], list[index - 1]];
  if (item === undefined || (next === undefined && previous === undefined)) {
    return { start: list.pos, end: list.end, after: "" };
  }
  return next
    ? { start: item.getStart(), end: next.getStart(), after: "" }
    : { start: previous?.getEnd() ?? list.pos, end: item.getEnd(), after: "" };
}

/** Text for people: a string or template with a space in it. Tests need not hold every word of a message. */
export function isProse(node: ts.Node): boolean {
  if (ts.isPropertyAssignment(node)) {
    return isProse(node.initializer);
  }
  return (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) && /\s/.test(node.getText().trim());
}

/** `a.name(…)`: the call, what it is called on and its name; undefined for other nodes. */
export function methodCall(node: ts.Node) {
  return ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)
    ? { call: node, on: node.expression.expression, name: node.expression.name }
    : undefined;
}
