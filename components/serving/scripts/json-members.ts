/** Members of a JSON object (RFC 8259), kept byte for byte by position, in one pass. */
import { isUtf8 } from "node:buffer";

/** The last of equal names counts, as in Python and JavaScript. */
export type Members = ReadonlyMap<string, Buffer>;

/** Deeper than any tool's schema; later parsers are limited by their stack. */
const MOST_DEPTH = 200;
/** No API has so many fields. */
const MOST_MEMBERS = 1_000;

const codes = (text: string) => [...Buffer.from(text)];
const [QUOTE, BACKSLASH, COMMA, COLON, BRACE, BRACE_END, BRACKET, BRACKET_END, MINUS, DOT, ZERO, U] = codes(
  '"\\,:{}[]-.0u',
) as [number, number, number, number, number, number, number, number, number, number, number, number];
const isOneOf = (text: string) => {
  const among = new Set(codes(text));
  return Array.from({ length: 256 }, (_, code) => among.has(code));
};
const [SPACE, DIGIT, HEX, ESCAPED, EXPONENT, SIGN] = [
  " \t\n\r",
  "0123456789",
  "0123456789abcdefABCDEF",
  '"\\/bfnrt',
  "eE",
  "+-",
].map(isOneOf) as [boolean[], boolean[], boolean[], boolean[], boolean[], boolean[]];
const WORDS = ["true", "false", "null"].map(codes);

/** @throws Error unless a JSON object in UTF-8 with at most 1000 members and 200 levels. */
export function readMembers(text: Buffer): Members {
  if (!isUtf8(text)) {
    throw new Error("no UTF-8");
  }
  return new Scanner(text).members();
}

/** Pieces of an object: none is copied. */
export function writeMembers(members: Members): Buffer[] {
  const pieces = [...members].flatMap(([name, value], at) => [
    Buffer.from(`${at === 0 ? "{" : ","}${JSON.stringify(name)}:`),
    value,
  ]);
  return [...(pieces.length === 0 ? [Buffer.from("{")] : pieces), Buffer.from("}")];
}

class Scanner {
  private at = 0;
  private depth = 0;

  private readonly text: Buffer;

  constructor(text: Buffer) {
    this.text = text;
  }

  members(): Members {
    const found = new Map<string, Buffer>();
    this.skip(SPACE);
    this.object((name, value) => {
      found.set(name, value);
      if (found.size > MOST_MEMBERS) {
        throw new Error(`more than ${MOST_MEMBERS} members`);
      }
    });
    this.skip(SPACE);
    return this.at === this.text.length ? found : this.fail();
  }

  private value(): void {
    const code = this.text[this.at];
    if (code === QUOTE) {
      this.string();
    } else if (code === BRACE) {
      this.object();
    } else if (code === BRACKET) {
      this.items(BRACKET_END, this.element);
    } else if (code === MINUS || DIGIT[code ?? 0]) {
      this.number();
    } else {
      this.word();
    }
  }

  private object(found?: (name: string, value: Buffer) => void): void {
    if (this.text[this.at] !== BRACE) {
      this.fail();
    }
    this.items(BRACE_END, found === undefined ? this.member : () => this.told(found));
  }

  private items(end: number, item: () => void): void {
    this.depth += 1;
    if (this.depth > MOST_DEPTH) {
      throw new Error(`more than ${MOST_DEPTH} values in each other`);
    }
    this.at += 1;
    this.skip(SPACE);
    if (this.text[this.at] !== end) {
      item();
      while (this.text[this.at] === COMMA) {
        this.at += 1;
        this.skip(SPACE);
        item();
      }
    }
    this.take(end);
    this.depth -= 1;
  }

  private readonly element = (): void => {
    this.value();
    this.skip(SPACE);
  };

  private readonly member = (): void => {
    this.name();
    this.element();
  };

  private told(found: (name: string, value: Buffer) => void): void {
    const name = this.name();
    const from = this.at;
    this.value();
    found(JSON.parse(this.text.toString("utf8", ...name)) as string, this.text.subarray(from, this.at));
    this.skip(SPACE);
  }

  /** @returns where it is. */
  private name(): [from: number, to: number] {
    const from = this.at;
    this.string();
    const to = this.at;
    this.skip(SPACE);
    this.take(COLON);
    this.skip(SPACE);
    return [from, to];
  }

  private string(): void {
    this.take(QUOTE);
    for (let code = this.text[this.at]; code !== QUOTE; code = this.text[this.at]) {
      if (code === undefined || code < 0x20) {
        this.fail();
      }
      this.at += 1;
      if (code === BACKSLASH) {
        this.escape();
      }
    }
    this.at += 1;
  }

  private escape(): void {
    const digits = this.text[this.at] === U ? 4 : 0;
    if (digits === 0) {
      this.one(ESCAPED);
      return;
    }
    this.at += 1;
    for (let digit = 0; digit < digits; digit += 1) {
      this.one(HEX);
    }
  }

  private number(): void {
    this.may(MINUS);
    if (!this.may(ZERO)) {
      this.digits();
    }
    if (this.may(DOT)) {
      this.digits();
    }
    if (EXPONENT[this.text[this.at] ?? 0]) {
      this.at += 1;
      if (SIGN[this.text[this.at] ?? 0]) {
        this.at += 1;
      }
      this.digits();
    }
  }

  private digits(): void {
    this.one(DIGIT);
    this.skip(DIGIT);
  }

  private word(): void {
    const word = WORDS.find(([first]) => first === this.text[this.at]) ?? this.fail();
    for (const code of word) {
      this.take(code);
    }
  }

  private skip(kind: readonly boolean[]): void {
    while (kind[this.text[this.at] ?? 0]) {
      this.at += 1;
    }
  }

  private one(kind: readonly boolean[]): void {
    if (!kind[this.text[this.at] ?? 0]) {
      this.fail();
    }
    this.at += 1;
  }

  private may(code: number): boolean {
    const is = this.text[this.at] === code;
    this.at += is ? 1 : 0;
    return is;
  }

  private take(code: number): void {
    if (!this.may(code)) {
      this.fail();
    }
  }

  private fail(): never {
    throw new Error(`no JSON object at byte ${this.at}`);
  }
}
