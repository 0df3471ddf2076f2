/** Stands for a value that a preview cannot know: it depends on a resource that does not exist yet. */
export const UNKNOWN: unique symbol = Symbol("unknown until deployment");

type Scalar = string | number | boolean | null | undefined;
/** Properties of a resource as plain data. */
export type Value = Scalar | typeof UNKNOWN | readonly Value[] | { readonly [key: string]: Value };

interface PlaceBelow {
  readonly above: Field;
  readonly key: string | number;
}

/**
 * One place in a resource's properties, with its path for messages. A field answers questions about its
 * value so that an unknown value can neither crash a policy nor count as a violation: it is remembered,
 * and the policy's result for this resource becomes "undecided".
 */
export class Field {
  /** Fields that were asked for, by key: most of a resource is looked at by several policies. */
  private below: Map<string | number, Field> | undefined;

  constructor(
    readonly value: Value,
    private readonly place: string | PlaceBelow,
    private readonly unknownPaths: Set<string>,
    /** Fields that stand below it although they are elsewhere. */
    private readonly aliases: Readonly<Record<string, Field>> = {},
  ) {}

  /** Where it is, for messages: put together when somebody asks, for most fields are only looked at. */
  get path(): string {
    if (typeof this.place === "string") {
      return this.place;
    }
    const { above, key } = this.place;
    return typeof key === "number" ? `${above.path}[${key}]` : joinPath(above.path, key);
  }

  /** The field below; an absent value where the path does not exist. */
  get(...keys: readonly (string | number)[]): Field {
    let field: Field = this;
    for (const key of keys) {
      field = field.child(key);
    }
    return field;
  }

  /** True when the value is known and `test` holds for it (absent is known, and is `undefined`). */
  is(test: (value: Exclude<Value, typeof UNKNOWN>) => boolean): boolean {
    if (this.value === UNKNOWN) {
      this.unknownPaths.add(this.path);
      return false;
    }
    return test(this.value);
  }

  /** Elements of an array; none when it is no array. */
  items(): Field[] {
    return this.is(Array.isArray) ? (this.value as readonly Value[]).map((_, index) => this.child(index)) : [];
  }

  /** Properties of an object; none when it is no object. */
  entries(): [string, Field][] {
    return this.is(isObject) ? Object.keys(this.value as object).map((key) => [key, this.child(key)]) : [];
  }

  /** The value, if it is a known string. */
  text(): string | undefined {
    return this.is((value) => typeof value === "string") ? (this.value as string) : undefined;
  }

  /** Remembers that nobody can say `what`, as an unknown value is remembered. */
  cannotTell(what: string): void {
    this.unknownPaths.add(what);
  }

  /** The same place, holding what its text contains (a JSON document, for example). */
  containing(value: Value): Field {
    return new Field(value, this.path, this.unknownPaths);
  }

  /** A holder of this field, under the name that such a field has elsewhere; the field keeps its own path. */
  heldAs(key: string): Field {
    return new Field({ [key]: this.value }, this.path, this.unknownPaths, { [key]: this });
  }

  private child(key: string | number): Field {
    const alias = this.aliases[key];
    if (alias !== undefined) {
      return alias;
    }
    if (this.value === UNKNOWN) {
      return new Field(UNKNOWN, this.path, this.unknownPaths);
    }
    const known = this.below?.get(key);
    if (known !== undefined) {
      return known;
    }
    const holder = this.value;
    const held = holder !== null && typeof holder === "object" && Object.hasOwn(holder, key);
    const field = new Field(
      held ? (holder as Record<string | number, Value>)[key] : undefined,
      { above: this, key },
      this.unknownPaths,
    );
    if (held) {
      this.below ??= new Map();
      this.below.set(key, field);
    }
    return field;
  }
}

export function isObject(value: Value): value is { readonly [key: string]: Value } {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** Whether a value is unknown, or holds an unknown one. */
export function holdsUnknown(value: Value): boolean {
  if (Array.isArray(value)) {
    return value.some(holdsUnknown);
  }
  return value === UNKNOWN || (isObject(value) && Object.values(value).some(holdsUnknown));
}

function joinPath(path: string, key: string): string {
  if (!/^[A-Za-z_][\w-]*$/.test(key)) {
    return `${path}["${key}"]`;
  }
  return path === "" ? key : `${path}.${key}`;
}

const snapshots = new WeakMap<object, Value>();

/**
 * Copies properties into plain data. The policy SDK hands out proxies that throw when an unknown value is
 * read, at any depth; the mocks of an offline preview hold `Unknown` objects. Both become `UNKNOWN`. A copy is its own copy.
 */
export function snapshot(raw: unknown): Value {
  if (raw === UNKNOWN) {
    return UNKNOWN;
  }
  if (raw === null || typeof raw !== "object") {
    return typeof raw === "string" || typeof raw === "number" || typeof raw === "boolean" || raw === null
      ? raw
      : undefined;
  }
  const known = snapshots.get(raw);
  if (known !== undefined) {
    return known;
  }
  const copy = copyObject(raw);
  snapshots.set(raw, copy);
  if (typeof copy === "object" && copy !== null) {
    snapshots.set(copy, copy);
  }
  return copy;
}

function copyObject(raw: object): Value {
  if (Array.isArray(raw)) {
    return Array.from({ length: raw.length }, (_, index) => copyProperty(raw, index));
  }
  const prototype: unknown = Object.getPrototypeOf(raw);
  if (prototype !== Object.prototype && prototype !== null) {
    // Unknown markers of the Pulumi runtime, assets, archives: nothing that a policy can judge.
    return UNKNOWN;
  }
  return Object.fromEntries(Object.keys(raw).map((key) => [key, copyProperty(raw, key)]));
}

function copyProperty(raw: object, key: string | number): Value {
  let value: unknown;
  try {
    value = Reflect.get(raw, key);
  } catch {
    // These are data properties: only the SDK's proxy throws here, and only for unknown values.
    return UNKNOWN;
  }
  return snapshot(value);
}
