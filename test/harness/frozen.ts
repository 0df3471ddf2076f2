/** The same data, all the way down unchangeable: who shares it with other tests cannot disturb them. */
export function frozen<T>(value: T): T {
  if (!isData(value) || Object.isFrozen(value)) {
    return value;
  }
  Object.freeze(value);
  for (const item of Object.values(value)) {
    frozen(item);
  }
  return value;
}

/** Arrays and plain objects; what has a class of its own, such as an unknown value of a preview, is left alone. */
function isData(value: unknown): value is object {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}
