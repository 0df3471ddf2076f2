import ts from "typescript";
import { type Edit, replace } from "./edit";

/** Empty values of a declared type; none for types of which an empty value cannot be written down without knowing them. */
function emptyValues(type: ts.TypeNode): string[] {
  switch (type.kind) {
    case ts.SyntaxKind.BooleanKeyword:
      return ["true", "false"];
    case ts.SyntaxKind.NumberKeyword:
      return ["0"];
    case ts.SyntaxKind.StringKeyword:
      return ['""'];
    case ts.SyntaxKind.UndefinedKeyword:
      return ["undefined"];
    default:
  }
  if (ts.isArrayTypeNode(type) || (ts.isTypeOperatorNode(type) && ts.isArrayTypeNode(type.type))) {
    return ["[]"];
  }
  if (ts.isUnionTypeNode(type)) {
    return type.types.flatMap(emptyValues);
  }
  if (ts.isTypeReferenceNode(type)) {
    const [inner] = type.typeArguments ?? [];
    const name = type.typeName.getText();
    if (inner && ["Promise", "Readonly"].includes(name)) {
      return emptyValues(inner);
    }
    return name === "Record" ? ["{}"] : [];
  }
  return [];
}

/** The function that a `return` belongs to. */
function functionAround(node: ts.Node): ts.SignatureDeclaration | undefined {
  const found = ts.findAncestor(node, ts.isFunctionLike);
  return found && "body" in found ? found : undefined;
}

/** What a function returns becomes empty, by its declared type. */
export function emptyReturn(node: ts.Node): Edit[] {
  const returned = ts.isReturnStatement(node)
    ? node.expression
    : ts.isArrowFunction(node) && !ts.isBlock(node.body)
      ? node.body
      : undefined;
  const type = returned && (ts.isArrowFunction(node) ? node.type : functionAround(node)?.type);
  return returned && type
    ? emptyValues(type)
        .filter((value) => value !== returned.getText())
        .map((value) => replace(returned, value === "{}" ? "({})" : value))
    : [];
}
