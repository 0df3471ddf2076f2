/**
 * Pulumi ESC environments imported under `environment:`: a list of names, or a mapping with
 * `imports` and optional values.
 */
export function importedEnvironments(environment: unknown): string[] {
  if (Array.isArray(environment)) {
    return environment.map(nameOf);
  }
  if (typeof environment !== "object" || environment === null) {
    return environment === undefined || environment === null ? [] : [String(environment)];
  }
  const { imports, ...inline } = environment as { readonly imports?: unknown };
  const values = Object.keys(inline).length > 0 ? ["the values under environment:"] : [];
  return [...(Array.isArray(imports) ? imports.map(nameOf) : []), ...values];
}

/** `team/prod`, or `{team/prod: {merge: false}}`. */
function nameOf(item: unknown): string {
  return typeof item === "object" && item !== null ? (Object.keys(item)[0] ?? "unnamed") : String(item);
}
