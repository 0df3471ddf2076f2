import table from "./confidential.json";

/** A shape whose machines can keep their memory from their host. */
export interface ConfidentialShape {
  /** SEV encrypts memory; SEV-SNP keeps the host from changing it too, and lets a machine prove what it is. */
  readonly technology: "SEV" | "SEV-SNP";
  /** Kind of platform settings, as the cloud names it. */
  readonly platform: string;
  /** Operating systems that start so. */
  readonly systems: string;
}

// Checked against catalog/schema.ts by test/catalog.
const shapes = table.oci.shapes as Readonly<Record<string, ConfidentialShape>>;

/** Names of the shapes that can, those of the catalogue alone. */
export const CONFIDENTIAL_SHAPES: readonly string[] = Object.keys(shapes);

/** Undefined where no machine of the shape can. */
export function findConfidentialShape(name: string): ConfidentialShape | undefined {
  return shapes[name];
}

/** @throws Error where no machine of the shape can. */
export function confidentialShape(name: string): ConfidentialShape {
  const found = findConfidentialShape(name);
  if (found === undefined) {
    throw new Error(`${name} encrypts no memory: validation should have refused it`);
  }
  return found;
}
