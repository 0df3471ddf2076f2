/** Line of sha256sum or shasum: sum, space, space or "*" for binary mode, file. */
const LINE = /^(?<sha256>[0-9a-f]{64}) [ *]?(?:\.\/)?(?<file>\S+)$/i;
const BARE = /^[0-9a-f]{64}$/i;

interface GitHubRelease {
  readonly assets?: readonly { readonly name: string; readonly digest?: string | null }[];
}

/**
 * SHA-256 of a file in lower case, from sha256sum lines, a bare sum, or GitHub's release API.
 * Undefined if not listed.
 */
export function sha256In(text: string, file: string): string | undefined {
  const stated = text.trim();
  if (BARE.test(stated)) {
    return stated.toLowerCase();
  }
  if (stated.startsWith("{")) {
    return digestIn(stated, file);
  }
  const lines = stated.split(/\r?\n/).map((line) => LINE.exec(line)?.groups);
  return lines.find((groups) => groups?.file === file)?.sha256?.toLowerCase();
}

function digestIn(json: string, file: string): string | undefined {
  try {
    const { assets = [] } = JSON.parse(json) as GitHubRelease;
    const digest = assets.find(({ name }) => name === file)?.digest ?? "";
    return /^sha256:([0-9a-f]{64})$/.exec(digest)?.[1];
  } catch {
    return undefined;
  }
}
