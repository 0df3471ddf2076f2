import { statSync } from "node:fs";
import { z } from "zod";
import { checkFile } from "../config-file";
import { messageOf } from "../errors";

/** What a token allows: `read` all that changes nothing, `pull` to ask for models as well, `operate` everything. */
const SCOPES = ["read", "pull", "operate"] as const;
export type Scope = (typeof SCOPES)[number];

const tokenSchema = z.strictObject({
  /** Who has it: in logs, and as the key of the rate limit. */
  id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, "letters, digits, dots, underscores and hyphens, at most 63"),
  /** SHA-256 of the token in hexadecimal. Tokens are long and random, so that a plain hash tells nothing of them. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/, "64 hexadecimal digits in small letters"),
  scopes: z.array(z.enum(SCOPES)).min(1, "at least one scope"),
});

/** The file of the tokens that are accepted: `{"tokens": [{"id", "sha256", "scopes"}]}`, JSON or YAML. */
export const tokenFileSchema = z.strictObject({ tokens: z.array(tokenSchema) }).superRefine(({ tokens }, context) => {
  const ids = tokens.map(({ id }) => id);
  tokens.forEach(({ id }, index) => {
    if (ids.indexOf(id) === index) {
      return;
    }
    context.addIssue({ code: "custom", path: ["tokens", index, "id"], message: "an id that no other token has" });
  });
});

export type TokenEntry = z.infer<typeof tokenSchema>;

/** How long a change of the file may go unnoticed, in milliseconds. */
const STAT_INTERVAL = 1_000;

/** The tokens of a file that may change at any time: Kubernetes replaces a Secret's files in place. */
export class TokenFile {
  private entries: readonly TokenEntry[];
  private version: string;
  private checkedAt: number;

  /**
   * @param onReload told after each change, with the problem where the new content cannot be used: the old one stays.
   * @throws ConfigError when the file cannot be used now.
   */
  constructor(
    private readonly path: string,
    private readonly onReload: (problem?: string) => void,
    private readonly now: () => number = Date.now,
  ) {
    this.version = versionOf(path);
    this.checkedAt = now();
    this.entries = checkFile(path, tokenFileSchema).tokens;
  }

  tokens(): readonly TokenEntry[] {
    const now = this.now();
    if (now - this.checkedAt >= STAT_INTERVAL) {
      this.checkedAt = now;
      this.reload();
    }
    return this.entries;
  }

  private reload(): void {
    const version = versionOf(this.path);
    if (version === this.version) {
      return;
    }
    this.version = version;
    try {
      this.entries = checkFile(this.path, tokenFileSchema).tokens;
      this.onReload();
    } catch (error) {
      this.onReload(messageOf(error));
    }
  }
}

/** Differs whenever the content may: a replaced file has another inode. */
function versionOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? "missing" : `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
}
