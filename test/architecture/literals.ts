import ts from "typescript";
import { Tokens } from "./tokens";

const { SyntaxKind } = ts;

/** A string, template or regular expression of a source text. */
export interface Literal {
  /** As it is when the program runs, with a bar for each value of a template. */
  readonly text: string;
  readonly isPattern: boolean;
}

/** Functions whose calls begin with a title: `it("…")`, `describe.each(rows)("…")`. */
const TITLED = new Set(["it", "test", "describe"]);

/** The literals of a source text, less the titles of tests. */
export function literalsOf(source: string): Literal[] {
  const tokens = new Tokens(source);
  const found: Literal[] = [];
  const templates: { text: string; readonly isTitle: boolean }[] = [];
  /** Of each open parenthesis, whether a title may follow it. */
  const parentheses: boolean[] = [];
  /** Whether the tokens up to here are such a function's name, with what is called on it: `it.each(rows)`. */
  let isTitled = false;
  const add = (text: string, isTitle: boolean, isPattern = false) => {
    if (!isTitle) {
      found.push({ text, isPattern });
    }
  };
  while (tokens.next()) {
    const wasTitled: boolean = isTitled;
    isTitled = false;
    const isTitle = tokens.last === SyntaxKind.OpenParenToken && parentheses.at(-1) === true;
    switch (tokens.token) {
      case SyntaxKind.Identifier:
        isTitled = tokens.last === SyntaxKind.DotToken ? wasTitled : TITLED.has(tokens.text);
        break;
      case SyntaxKind.DotToken:
        isTitled = wasTitled;
        break;
      case SyntaxKind.LessThanToken:
        isTitled = wasTitled && skipTypeArguments(tokens);
        break;
      case SyntaxKind.OpenParenToken:
        parentheses.push(wasTitled);
        break;
      case SyntaxKind.CloseParenToken:
        isTitled = parentheses.pop() === true;
        break;
      case SyntaxKind.StringLiteral:
      case SyntaxKind.NoSubstitutionTemplateLiteral:
        add(tokens.text, isTitle);
        break;
      case SyntaxKind.RegularExpressionLiteral:
        add(tokens.text, isTitle, true);
        break;
      case SyntaxKind.TemplateHead:
        templates.push({ text: tokens.text, isTitle });
        break;
      case SyntaxKind.TemplateMiddle:
      case SyntaxKind.TemplateTail: {
        const template = templates.at(-1);
        if (template) {
          template.text += ` | ${tokens.text}`;
        }
        if (template && tokens.token === SyntaxKind.TemplateTail) {
          templates.pop();
          add(template.text, template.isTitle);
        }
        break;
      }
    }
  }
  return found;
}

/** From a `<` to its `>`. */
function skipTypeArguments(tokens: Tokens): true {
  for (let open = 1; open > 0 && tokens.next(); ) {
    open += tokens.token === SyntaxKind.LessThanToken ? 1 : tokens.token === SyntaxKind.GreaterThanToken ? -1 : 0;
  }
  return true;
}
