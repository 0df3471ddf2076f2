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

/** Tags that follow a branch or a release instead of naming one. */
const MOVING_TAGS = [
  ...["latest", "main", "master", "trunk", "head", "tip", "dev", "devel", "develop", "development", "snapshot"],
  ...["edge", "nightly", "weekly", "daily", "rolling", "next", "canary", "preview", "experimental", "unstable"],
  ...["stable", "lts", "release", "current", "production", "prod", "staging", "testing", "test", "alpha", "beta", "rc"],
];

/** A major version alone, which moves with every release: longer numbers are of builds. */
const MAJOR = /^v?\d{1,2}$/;

/** Whether a tag may move, in any case and variant: `latest-cuda`. */
export function isMovingTag(tag: string): boolean {
  const name = tag.toLowerCase();
  return MOVING_TAGS.includes(name) || MAJOR.test(name) || /^latest-|-latest$/.test(name);
}

/** A digest, or a tag that does not move. */
export function isPinned(reference: string): boolean {
  const { tag, digest } = parseImage(reference);
  return (
    /^sha256:[0-9a-f]{64}$/.test(digest ?? "") ||
    (digest === undefined && tag !== undefined && tag !== "" && !isMovingTag(tag))
  );
}
