/** A map of plain data, as manifests are made of; its values may be anything. */
export type Plain = Readonly<Record<string, unknown>>;

/** Whether a value is a map of plain data: no list, and no instance of a class, such as an output of Pulumi. */
export function isPlain(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
