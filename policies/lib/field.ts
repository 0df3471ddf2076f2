/** A value unknown in preview: it depends on a resource that does not exist yet. */
export const UNKNOWN: unique symbol = Symbol("unknown until deployment");

type Scalar = string | number | boolean | null | undefined;
export type Value = Scalar | typeof UNKNOWN | readonly Value[] | { readonly [key: string]: Value };

interface PlaceBelow {
  readonly above: Field;
  readonly key: string | number;
}

/**
 * A place in a resource's properties, with its path for messages. Fields answer questions about
 * their value so that an unknown one neither crashes a policy nor counts as a violation: it is
 * remembered, and the result becomes "undecided".
 */
export class Field {
  /** Cached, because several policies read most of a resource. */
  private below: Map<string | number, Field> | undefined;

  constructor(
    readonly value: Value,
    private readonly place: string | PlaceBelow,
    private readonly unknownPaths: Set<string>,
    /** Fields reached from here although they are elsewhere. */
    private readonly aliases: Readonly<Record<string, Field>> = {},
  ) {}

  /** For messages; computed on demand, because most fields are only read. */
  get path(): string {
    if (typeof this.place === "string") {
      return this.place;
    }
    const { above, key } = this.place;
    return typeof key === "number" ? `${above.path}[${key}]` : joinPath(above.path, key);
  }

  get(...keys: readonly (string | number)[]): Field {
    let field: Field = this;
    for (const key of keys) {
      field = field.child(key);
    }
    return field;
  }

  /** Absent is known (`undefined`). */
  is(test: (value: Exclude<Value, typeof UNKNOWN>) => boolean): boolean {
    if (this.value === UNKNOWN) {
      this.unknownPaths.add(this.path);
      return false;
    }
    return test(this.value);
  }

  /** Empty for other values. */
  items(): Field[] {
    return this.is(Array.isArray) ? (this.value as readonly Value[]).map((_, index) => this.child(index)) : [];
  }

  /** Empty for other values. */
  entries(): [string, Field][] {
    return this.is(isObject) ? Object.keys(this.value as object).map((key) => [key, this.child(key)]) : [];
  }

  text(): string | undefined {
    return this.is((value) => typeof value === "string") ? (this.value as string) : undefined;
  }

  /** Records that `what` cannot be decided, as for an unknown value. */
  cannotTell(what: string): void {
    this.unknownPaths.add(what);
  }

  /** With the parsed content of its text, such as JSON. */
  containing(value: Value): Field {
    return new Field(value, this.path, this.unknownPaths);
  }

  /** A holder of this field under its usual name; the field keeps its path. */
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
 * Copies properties into plain data. Reading an unknown value from the policy SDK's proxies throws,
 * at any depth; mocks of offline previews hold `Unknown` objects. Both become `UNKNOWN`. A copy is
 * returned as it is.
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
    // Pulumi's unknown markers, assets, archives: policies cannot judge them.
    return UNKNOWN;
  }
  return Object.fromEntries(Object.keys(raw).map((key) => [key, copyProperty(raw, key)]));
}

function copyProperty(raw: object, key: string | number): Value {
  let value: unknown;
  try {
    value = Reflect.get(raw, key);
  } catch {
    // Only the SDK's proxy throws, and only for unknown values.
    return UNKNOWN;
  }
  return snapshot(value);
}
