/** Plain object with any values, as in manifests. */
export type Plain = Readonly<Record<string, unknown>>;

/** Whether a value is a plain object, not a list or class instance such as a Pulumi output. */
export function isPlain(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
