import { fixtureOf, type Schema } from "./crds";

/**
 * Defaults that the API server writes into an atomic list or map of a custom resource. Such a part has one owner as a whole:
 * under server-side apply, whoever compares it with what was applied sees a difference for ever.
 *
 * @returns paths with their defaults, for example `spec.rules[0].backendRefs[0].weight: 1`; nothing when all are written out.
 * @throws Error when there is no fixture for its kind.
 */
export function absentDefaults(resource: Readonly<Record<string, unknown>>): string[] {
  const { spec } = fixtureOf(resource).properties as Readonly<Record<string, Schema>>;
  return spec === undefined ? [] : absent(spec, resource.spec, "spec", false);
}

function absent(schema: Schema, value: unknown, path: string, atomic: boolean): string[] {
  if (Array.isArray(value)) {
    const items = schema.items as Schema | undefined;
    const type = schema["x-kubernetes-list-type"] ?? "atomic";
    return value.flatMap((item, i) => absent(items ?? {}, item, `${path}[${i}]`, atomic || type === "atomic"));
  }
  if (typeof value !== "object" || value === null) {
    return [];
  }
  const inside = atomic || schema["x-kubernetes-map-type"] === "atomic";
  const given = value as Readonly<Record<string, unknown>>;
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Schema>>;
  const own = Object.entries(properties).flatMap(([name, property]) => {
    const at = `${path}.${name}`;
    if (given[name] !== undefined) {
      return absent(property, given[name], at, inside);
    }
    return inside && property.default !== undefined ? [`${at}: ${JSON.stringify(property.default)}`] : [];
  });
  const others = schema.additionalProperties;
  const known = new Set(Object.keys(properties));
  const more = typeof others === "object" ? Object.entries(given).filter(([name]) => !known.has(name)) : [];
  return [...own, ...more.flatMap(([name, item]) => absent(others as Schema, item, `${path}.${name}`, inside))];
}
