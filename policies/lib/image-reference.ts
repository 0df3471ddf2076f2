/** Parts of a container image reference, `registry/repository:tag@digest`. */
export interface ImageReference {
  readonly repository: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

export function parseImage(reference: string): ImageReference {
  const [name = "", digest] = reference.split("@", 2);
  // A colon before the last slash belongs to the registry's port.
  const colon = name.indexOf(":", name.lastIndexOf("/") + 1);
  return colon === -1
    ? { repository: name, tag: undefined, digest }
    : { repository: name.slice(0, colon), tag: name.slice(colon + 1), digest };
}

/** True when the reference names one image for good: a digest, or a tag other than `latest`. */
export function isPinned(reference: string): boolean {
  const { tag, digest } = parseImage(reference);
  return (
    /^sha256:[0-9a-f]{64}$/.test(digest ?? "") ||
    (digest === undefined && tag !== undefined && tag !== "" && tag !== "latest")
  );
}
