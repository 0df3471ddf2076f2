/**
 * Names of the Pulumi ESC environments that a file imports under `environment:`. A list holds their names; a mapping
 * has them under `imports`, and may define values itself.
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
