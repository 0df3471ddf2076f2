/**
 * Parses JSON of a known form from a possibly hostile text. JSON.parse accepts any structure and
 * depth, and keeps the last of equal keys; here the caller states what comes next, and anything
 * else is refused with its position.
 */

const MAX_SKIPPED_DEPTH = 16;
const MAX_SKIPPED_ENTRIES = 100_000;

export class JsonScanner {
  private position = 0;

  /** @param fail refuses the file; the reason follows its name. */
  constructor(
    private readonly text: string,
    private readonly fail: (reason: string) => never,
  ) {}

  /** `read` parses each value. Equal keys and more than `most` are refused. */
  object(most: number, read: (key: string) => void, mostKeyCharacters = 512): void {
    const keys = new Set<string>();
    this.expect("{");
    if (this.accept("}")) {
      return;
    }
    do {
      const key = this.string(mostKeyCharacters);
      if (keys.has(key)) {
        this.fail(`has the key ${JSON.stringify(key)} twice`);
      }
      if (keys.size === most) {
        this.fail(`has an object with more than ${most} keys`);
      }
      keys.add(key);
      this.expect(":");
      read(key);
    } while (this.accept(","));
    this.expect("}");
  }

  /** `read` parses one item. */
  list(most: number, read: () => void): void {
    this.expect("[");
    if (this.accept("]")) {
      return;
    }
    let items = 0;
    do {
      if (items === most) {
        this.fail(`has a list of more than ${most} entries ${this.here()}`);
      }
      items += 1;
      read();
    } while (this.accept(","));
    this.expect("]");
  }

  string(mostCharacters: number): string {
    this.expect('"');
    const start = this.position;
    let escaped = false;
    for (; ; this.position += 1) {
      const code = this.text.charCodeAt(this.position);
      if (code === 0x22) {
        break;
      }
      // NaN past the end
      if (!(code >= 0x20)) {
        this.fail(`has a string that breaks off ${this.here()}`);
      }
      if (this.position - start >= mostCharacters) {
        this.fail(`has a string of more than ${mostCharacters} characters ${this.here()}`);
      }
      if (code === 0x5c) {
        escaped = true;
        this.position += 1;
      }
    }
    const raw = this.text.slice(start, this.position);
    this.position += 1;
    return escaped ? this.unescaped(raw) : raw;
  }

  /** 0 or above, exact. */
  wholeNumber(): number {
    const value = Number(this.match(/(?:0|[1-9]\d{0,15})(?![\d.eE])/y, "a whole number from 0"));
    if (!Number.isSafeInteger(value)) {
      this.fail(`has a number too large to be exact ${this.here()}`);
    }
    return value;
  }

  /** Consumes a null if it is next. */
  acceptNull(): boolean {
    this.skipSpace();
    const found = this.text.startsWith("null", this.position);
    if (found) {
      this.position += 4;
    }
    return found;
  }

  /** Whether a digit is next, after separators. */
  startsNumber(): boolean {
    this.skipSpace();
    return /\d/.test(this.text.charAt(this.position));
  }

  skip(depth = 0): void {
    if (depth > MAX_SKIPPED_DEPTH) {
      this.fail(`is nested deeper than ${MAX_SKIPPED_DEPTH} levels ${this.here()}`);
    }
    this.skipSpace();
    switch (this.text.charAt(this.position)) {
      case "{":
        this.object(MAX_SKIPPED_ENTRIES, () => this.skip(depth + 1));
        return;
      case "[":
        this.list(MAX_SKIPPED_ENTRIES, () => this.skip(depth + 1));
        return;
      case '"':
        this.string(this.text.length);
        return;
      default:
        this.match(/true|false|null|NaN|-?(?:Infinity|\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,4})?)/y, "a value");
    }
  }

  /** Refuses trailing text. */
  end(): void {
    this.skipSpace();
    if (this.position < this.text.length) {
      this.fail(`goes on where it should end ${this.here()}`);
    }
  }

  private unescaped(raw: string): string {
    try {
      return JSON.parse(`"${raw}"`) as string;
    } catch {
      return this.fail(`has a malformed string ${this.here()}`);
    }
  }

  private expect(character: string): void {
    if (!this.accept(character)) {
      this.fail(`is no JSON of this form: ${character} is missing ${this.here()}`);
    }
  }

  private accept(character: string): boolean {
    this.skipSpace();
    if (this.text.charAt(this.position) !== character) {
      return false;
    }
    this.position += 1;
    return true;
  }

  private match(pattern: RegExp, what: string): string {
    this.skipSpace();
    pattern.lastIndex = this.position;
    const [found] = pattern.exec(this.text) ?? [];
    if (found === undefined) {
      return this.fail(`is no JSON of this form: ${what} is missing ${this.here()}`);
    }
    this.position += found.length;
    return found;
  }

  private skipSpace(): void {
    for (; ; this.position += 1) {
      const code = this.text.charCodeAt(this.position);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) {
        return;
      }
    }
  }

  private here(): string {
    return `at character ${this.position}`;
  }
}
