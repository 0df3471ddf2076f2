/** Where container images are pulled from instead of their own registries. */
export interface ImageMirror {
  /**
   * Registry prefix for every image: `docker.io/ollama/ollama:1` becomes
   * `<mirror>/docker.io/ollama/ollama:1`.
   */
  readonly mirror?: string;
  /** By upstream registry, one that holds its images under their names alone; it comes before `mirror`. */
  readonly registries?: Readonly<Record<string, string>>;
}

/**
 * Unchanged if already on a mirror, or without one.
 * @param reference as Docker reads it.
 */
export function mirrored(reference: string, { mirror, registries = {} }: ImageMirror): string {
  const { registry, path } = splitReference(reference);
  const own = [mirror, ...Object.values(registries)].map((each) => each?.split("/")[0]);
  if (own.includes(registry)) {
    return reference;
  }
  if (Object.hasOwn(registries, registry)) {
    return `${registries[registry]}/${path}`;
  }
  // A port is not allowed inside of a path.
  return mirror === undefined ? reference : `${mirror}/${registry.replace(":", "-")}/${path}`;
}

/** Registry of a reference, and the rest; Docker Hub where none is named. */
export function splitReference(reference: string): { readonly registry: string; readonly path: string } {
  const slash = reference.indexOf("/");
  const first = slash < 0 ? "" : reference.slice(0, slash);
  if (first === "localhost" || /[.:]/.test(first)) {
    return { registry: first, path: reference.slice(slash + 1) };
  }
  return { registry: "docker.io", path: slash < 0 ? `library/${reference}` : reference };
}

/** Ports of registries: 443, and those that mirrors have in their names. */
export function registryPorts({ mirror, registries = {} }: ImageMirror): number[] {
  const own = [mirror, ...Object.values(registries)].flatMap((name) =>
    name === undefined ? [] : [portOf(`${name}/`)],
  );
  return [...new Set([443, ...own])];
}

/** The port of a reference's registry. */
export function portOf(reference: string): number {
  return Number(/:(\d+)$/.exec(splitReference(reference).registry)?.[1] ?? 443);
}
