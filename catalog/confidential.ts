import table from "./confidential.json";

/** A shape whose machines can keep their memory from their host. */
export interface ConfidentialShape {
  /** SEV encrypts memory; SEV-SNP adds integrity and attestation. */
  readonly technology: "SEV" | "SEV-SNP";
  /** Kind of platform settings, as the cloud names it. */
  readonly platform: string;
  /** Operating systems that start so. */
  readonly systems: string;
}

type Shapes = Readonly<Record<string, ConfidentialShape>>;

// Checked against catalog/schema by test/catalog.
const shapes: Readonly<Record<ConfidentialCloud, Shapes>> = {
  oci: table.oci.shapes as Shapes,
  aws: table.aws.shapes as Shapes,
};

/** Clouds with such machines. */
export type ConfidentialCloud = "oci" | "aws";

/** Names of a cloud's shapes that can, those of the catalogue alone. */
export function confidentialShapes(cloud: ConfidentialCloud): readonly string[] {
  return Object.keys(shapes[cloud]);
}

/** Regions of Amazon's that have such machines. */
export const AWS_CONFIDENTIAL_REGIONS: readonly string[] = table.aws.regions;

/** Undefined where no machine of the shape can. */
export function findConfidentialShape(name: string): ConfidentialShape | undefined {
  return shapes.oci[name] ?? shapes.aws[name];
}

/** @throws Error where no machine of the shape can. */
export function confidentialShape(name: string): ConfidentialShape {
  const found = findConfidentialShape(name);
  if (found === undefined) {
    throw new Error(`${name} encrypts no memory: validation should have refused it`);
  }
  return found;
}
