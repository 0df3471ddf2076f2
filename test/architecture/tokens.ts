import ts from "typescript";

const { SyntaxKind } = ts;

const SLASHES = new Set([SyntaxKind.SlashToken, SyntaxKind.SlashEqualsToken]);

/** What an operand ends with, besides names: a slash behind it divides, behind anything else it begins a pattern. */
const OPERAND_ENDS = new Set([
  SyntaxKind.StringLiteral,
  SyntaxKind.NumericLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateTail,
  SyntaxKind.RegularExpressionLiteral,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.CloseBraceToken,
]);

/** An identifier, or a keyword that may be one: `number`, `from`. */
function isName(token: ts.SyntaxKind): boolean {
  return token === SyntaxKind.Identifier || (token > SyntaxKind.LastReservedWord && token <= SyntaxKind.LastKeyword);
}

/** One for all texts: each more would be compiled anew. */
const scanner = ts.createScanner(ts.ScriptTarget.Latest, true);

/**
 * The tokens of a source text, with templates and regular expressions told from braces and divisions, which a scanner
 * leaves to its caller. It takes a fraction of the time of a syntax tree. One text is read to its end before the next.
 */
export class Tokens {
  /** For each open template, the braces that are open in its value. */
  private readonly braces: number[] = [];
  /** The token before the current one. */
  last: ts.SyntaxKind = SyntaxKind.Unknown;
  token: ts.SyntaxKind = SyntaxKind.Unknown;

  constructor(source: string) {
    scanner.setText(source);
  }

  /** Of a string or a piece of a template, what stands between its quotes; of anything else, the token as written. */
  get text(): string {
    return scanner.getTokenValue() ?? scanner.getTokenText();
  }

  /** @returns whether there was one more */
  next(): boolean {
    this.last = this.token;
    this.token = this.rescanned(scanner.scan());
    return this.token !== SyntaxKind.EndOfFileToken;
  }

  private rescanned(token: ts.SyntaxKind): ts.SyntaxKind {
    const { braces, last } = this;
    if (SLASHES.has(token)) {
      return isName(last) || OPERAND_ENDS.has(last) ? token : scanner.reScanSlashToken();
    }
    const depth = braces.length - 1;
    const open = braces[depth];
    if (token === SyntaxKind.TemplateHead) {
      braces.push(0);
    } else if (open !== undefined && token === SyntaxKind.OpenBraceToken) {
      braces[depth] = open + 1;
    } else if (open !== undefined && token === SyntaxKind.CloseBraceToken) {
      if (open > 0) {
        braces[depth] = open - 1;
        return token;
      }
      const piece = scanner.reScanTemplateToken(false);
      if (piece === SyntaxKind.TemplateTail) {
        braces.pop();
      }
      return piece;
    }
    return token;
  }
}
