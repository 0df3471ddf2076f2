import ts from "typescript";
import { type Edit, methodCall, type Operator, replace } from "./edit";

type Swaps = Readonly<Record<string, string>>;

const BOUNDARIES: Swaps = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" };
const OPPOSITES: Swaps = {
  "===": "!==",
  "!==": "===",
  "==": "!=",
  "!=": "==",
  "<": ">=",
  ">=": "<",
  ">": "<=",
  "<=": ">",
};
const ARITHMETIC: Swaps = { "+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "+=": "-=", "-=": "+=", "*=": "/=" };
const LOGIC: Swaps = { "&&": "||", "||": "&&" };
/** Methods of arrays and strings, and functions of `Math`. */
const CALLS: Swaps = {
  some: "every",
  every: "some",
  min: "max",
  max: "min",
  ceil: "floor",
  floor: "ceil",
  startsWith: "endsWith",
  endsWith: "startsWith",
};
/** Methods whose result has the type of what they are called on. */
const SKIPPED_CALLS = new Set(["filter", "sort", "toSorted", "reverse", "toReversed", "trim", "toLowerCase", "slice"]);

/** Entry of a table of swaps; undefined for names that every object has, like `toString`. */
function swap(table: Swaps, text: string): string | undefined {
  return Object.hasOwn(table, text) ? table[text] : undefined;
}

function swapOf(table: Swaps): Operator {
  return (node) => {
    const after = ts.isBinaryExpression(node) ? swap(table, node.operatorToken.getText()) : undefined;
    return ts.isBinaryExpression(node) && after !== undefined ? [replace(node.operatorToken, after)] : [];
  };
}

/** Conditions of `if`, `while` and `? :` that are no comparison, which has its own opposite. */
function negatedCondition(node: ts.Node): Edit[] {
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
    return [replace(node, node.operand.getText())];
  }
  const condition =
    ts.isIfStatement(node) || ts.isWhileStatement(node)
      ? node.expression
      : ts.isConditionalExpression(node)
        ? node.condition
        : undefined;
  if (condition === undefined || ts.isPrefixUnaryExpression(condition)) {
    return [];
  }
  const compares = ts.isBinaryExpression(condition) && swap(OPPOSITES, condition.operatorToken.getText()) !== undefined;
  return compares ? [] : [replace(condition, `!(${condition.getText()})`)];
}

function counted(node: ts.Node): Edit[] {
  if (!ts.isPrefixUnaryExpression(node) && !ts.isPostfixUnaryExpression(node)) {
    return [];
  }
  const operand = node.operand.getText();
  switch (node.operator) {
    case ts.SyntaxKind.PlusPlusToken:
      return [replace(node, ts.isPrefixUnaryExpression(node) ? `--${operand}` : `${operand}--`)];
    case ts.SyntaxKind.MinusMinusToken:
      return [replace(node, ts.isPrefixUnaryExpression(node) ? `++${operand}` : `${operand}++`)];
    case ts.SyntaxKind.MinusToken:
      return [replace(node, operand)];
    default:
      return [];
  }
}

function nullishSide(node: ts.Node): Edit[] {
  const isNullish = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken;
  return isNullish ? [replace(node, node.left.getText()), replace(node, `(${node.right.getText()})`)] : [];
}

function booleanLiteral(node: ts.Node): Edit[] {
  switch (node.kind) {
    case ts.SyntaxKind.TrueKeyword:
      return [replace(node, "false")];
    case ts.SyntaxKind.FalseKeyword:
      return [replace(node, "true")];
    default:
      return [];
  }
}

/** One more; twice as much from 10 on and of fractions, where one more is hardly a difference (60,001 ms). */
function numberLiteral(node: ts.Node): Edit[] {
  if (!ts.isNumericLiteral(node) || isName(node)) {
    return [];
  }
  const value = Number(node.text);
  return [replace(node, String(Number.isInteger(value) && value < 10 ? value + 1 : value * 2))];
}

/** Strings that programs read: without spaces. */
function stringLiteral(node: ts.Node): Edit[] {
  const isWord = ts.isStringLiteralLike(node) && !/\s/.test(node.text) && !isName(node) && !isModule(node);
  return isWord ? [replace(node, JSON.stringify(`${node.text}x`))] : [];
}

function isName(node: ts.Node): boolean {
  return "name" in node.parent && node.parent.name === node;
}

function isModule({ parent }: ts.Node): boolean {
  const isRequired = ts.isCallExpression(parent) && parent.expression.getText() === "require";
  return isRequired || (ts.isCallExpression(parent) && parent.expression.kind === ts.SyntaxKind.ImportKeyword);
}

function regexAnchor(node: ts.Node): Edit[] {
  if (!ts.isRegularExpressionLiteral(node)) {
    return [];
  }
  const [, body = "", flags = ""] = /^\/(.*)\/(\w*)$/s.exec(node.text) ?? [];
  return [
    ...(body.startsWith("^") && body.length > 1 ? [replace(node, `/${body.slice(1)}/${flags}`)] : []),
    ...(/(?<!\\)\$$/.test(body) && body.length > 1 ? [replace(node, `/${body.slice(0, -1)}/${flags}`)] : []),
  ];
}

function swappedCall(node: ts.Node): Edit[] {
  const method = methodCall(node);
  const after = method && swap(CALLS, method.name.text);
  return method && after !== undefined ? [replace(method.name, after)] : [];
}

function skippedCall(node: ts.Node): Edit[] {
  const method = methodCall(node);
  return method && SKIPPED_CALLS.has(method.name.text) ? [replace(node, method.on.getText())] : [];
}

export const EXPRESSIONS: Readonly<Record<string, Operator>> = {
  boundary: swapOf(BOUNDARIES),
  comparison: swapOf(OPPOSITES),
  condition: negatedCondition,
  arithmetic: (node) => [...swapOf(ARITHMETIC)(node), ...counted(node)],
  logic: swapOf(LOGIC),
  nullish: nullishSide,
  boolean: booleanLiteral,
  number: numberLiteral,
  string: stringLiteral,
  "regex anchor": regexAnchor,
  "other call": swappedCall,
  "skipped call": skippedCall,
};
