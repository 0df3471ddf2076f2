import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import ts from "typescript";

/** What the SDK says of one argument of a resource. */
export interface Argument {
  /** The resource is not made without it; of a nested one: not where its parent is given. */
  readonly required?: true;
  /** Changed in another way than by a new resource in place of the old one. */
  readonly updatable?: true;
  /** Its keys are the user's own. */
  readonly map?: true;
}

/** Arguments by path, `nodeConfigDetails.placementConfigs.subnetId`: the items of a list have the path of the list. */
export type Arguments = Readonly<Record<string, Argument>>;

/** How every comment of an argument begins that can be changed in place, in the SDK that is made of Terraform's documentation. */
const UPDATABLE = "(Updatable)";

/** Reads what the declarations of a cloud's SDK say of resources' arguments. */
export class SdkArguments {
  /** npm name of the SDK. */
  readonly component: string;
  /** Version of the SDK. */
  readonly version: string;
  private readonly folder: string;
  private readonly nested: ReadonlyMap<string, ts.InterfaceDeclaration>;

  constructor(private readonly cloud: "aws" | "oci" = "oci") {
    this.component = `@pulumi/${cloud}`;
    const manifest = createRequire(__filename).resolve(`${this.component}/package.json`);
    this.folder = dirname(manifest);
    this.version = (JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string }).version;
    this.nested = namespaced(this.parse("types/input.d.ts"));
  }

  /**
   * All arguments of a resource.
   *
   * @param type token such as `oci:Core/vcn:Vcn`.
   * @throws Error for a type that the SDK lacks.
   */
  of(type: string): Arguments {
    const [, module = "", file = "", name = ""] = new RegExp(`^${this.cloud}:(\\w+)/(\\w+):(\\w+)$`).exec(type) ?? [];
    const source = this.parse(join(module.toLowerCase(), `${file}.d.ts`));
    const args = source.statements.find((node) => ts.isInterfaceDeclaration(node) && node.name.text === `${name}Args`);
    if (args === undefined || !ts.isInterfaceDeclaration(args)) {
      throw new Error(`${this.component} declares no ${name}Args for ${type}`);
    }
    return Object.fromEntries(this.members(args, ""));
  }

  private members(declaration: ts.InterfaceDeclaration, prefix: string): [string, Argument][] {
    return declaration.members.filter(ts.isPropertySignature).flatMap((member) => {
      const path = `${prefix}${member.name.getText(declaration.getSourceFile())}`;
      const { inner, isMap } = this.typeOf(member.type);
      const argument: Argument = {
        ...(member.questionToken === undefined && { required: true }),
        ...(isUpdatable(member) && { updatable: true }),
        ...(isMap && { map: true }),
      };
      return [[path, argument], ...(inner === undefined ? [] : this.members(inner, `${path}.`))];
    });
  }

  /** Of a type, what its wrappings hold: inputs, lists, `undefined`. */
  private typeOf(type: ts.TypeNode | undefined): { inner?: ts.InterfaceDeclaration; isMap?: true } {
    if (type === undefined) {
      return {};
    }
    if (ts.isUnionTypeNode(type)) {
      return type.types.map((each) => this.typeOf(each)).find(({ inner, isMap }) => inner ?? isMap) ?? {};
    }
    if (ts.isArrayTypeNode(type)) {
      return this.typeOf(type.elementType);
    }
    if (ts.isTypeLiteralNode(type)) {
      return type.members.some(ts.isIndexSignatureDeclaration) ? { isMap: true } : {};
    }
    if (!ts.isTypeReferenceNode(type)) {
      return {};
    }
    const name = type.typeName.getText(type.getSourceFile());
    if (name === "pulumi.Input") {
      return this.typeOf(type.typeArguments?.[0]);
    }
    const inner = this.nested.get(name);
    // Next to nested arguments there are other resources, and names of values that are texts.
    if (inner === undefined && name.startsWith("inputs.")) {
      throw new Error(`${this.component} declares no ${name}`);
    }
    return inner === undefined ? {} : { inner };
  }

  private parse(file: string): ts.SourceFile {
    const text = readFileSync(join(this.folder, file), "utf8");
    return ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  }
}

/** The interfaces of the SDK's nested arguments, as arguments refer to them: `inputs.Core.VcnByoipv6cidrDetail`. */
function namespaced(source: ts.SourceFile): ReadonlyMap<string, ts.InterfaceDeclaration> {
  const found = new Map<string, ts.InterfaceDeclaration>();
  const visit = (node: ts.Node, prefix: string): void => {
    if (ts.isInterfaceDeclaration(node)) {
      found.set(`${prefix}${node.name.text}`, node);
    } else if (ts.isModuleDeclaration(node) && node.body !== undefined && ts.isModuleBlock(node.body)) {
      const inside = `${prefix}${node.name.text}.`;
      for (const statement of node.body.statements) {
        visit(statement, inside);
      }
    }
  };
  for (const statement of source.statements) {
    visit(statement, "inputs.");
  }
  return found;
}

function isUpdatable(member: ts.PropertySignature): boolean {
  const text = member.getSourceFile().text;
  const comment = ts.getLeadingCommentRanges(text, member.getFullStart())?.at(-1);
  return (
    comment !== undefined &&
    text
      .slice(comment.pos, comment.end)
      .replace(/^\/\*\*[\s*]*/, "")
      .startsWith(UPDATABLE)
  );
}
