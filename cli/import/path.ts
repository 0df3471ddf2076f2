export type Path = readonly (string | number)[];

/** `servingEngineSpec.modelSpec[0].name`. */
export function pathText(path: Path): string {
  return path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? key : `${text}.${key}`),
    "",
  );
}

/** Whether `path` is `above`, or below it. */
export function isWithin(path: Path, above: Path): boolean {
  return path.length >= above.length && above.every((key, index) => path[index] === key);
}

export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Own keys only: `__proto__` leads nowhere. */
export function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) {
      return typeof key === "number" ? (value as unknown[])[key] : undefined;
    }
    return isMapping(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }, root);
}

export function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === "" ||
    (Array.isArray(value) && value.length === 0) ||
    (isMapping(value) && Object.keys(value).length === 0)
  );
}

/** Undefined for `constructor` and other inherited names. */
export function rowOf<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

export function mappingOf(value: unknown): Readonly<Record<string, unknown>> {
  return isMapping(value) ? value : {};
}
