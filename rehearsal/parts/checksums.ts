/** A line of sha256sum or shasum: the sum, a space, a space or "*" for binary mode, the file. */
const LINE = /^(?<sha256>[0-9a-f]{64}) [ *]?(?:\.\/)?(?<file>\S+)$/i;
const BARE = /^[0-9a-f]{64}$/i;

interface GitHubRelease {
  readonly assets?: readonly { readonly name: string; readonly digest?: string | null }[];
}

/**
 * The SHA-256 of a file in what its project states, lower case: lines of sha256sum, a sum alone for a file alone, or a
 * release as GitHub's API describes it. Undefined where that does not list the file.
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
