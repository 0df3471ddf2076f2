/** Public keys of SSH as OpenSSH writes them in one line: the type, the key in base64, a comment. */

/**
 * Types that machines have keys of, with the number of fields that a key of each consists of (RFC 4253 §6.6, RFC 5656 §3.1, RFC 8709 §4).
 * Not ssh-rsa: by a key of RSA, @pulumi/command 1.2.1 takes signatures of that name alone, of SHA-1, and OpenSSH since 8.8 makes none.
 */
const FIELDS: Readonly<Record<string, number>> = {
  "ssh-ed25519": 2,
  "ecdsa-sha2-nistp256": 3,
  "ecdsa-sha2-nistp384": 3,
  "ecdsa-sha2-nistp521": 3,
};

/** Bytes of an Ed25519 key (RFC 8709 §4). */
const ED25519_BYTES = 32;

/** The form of the line; whether the key behind the type is whole, and of that type, is `isPublicKeyLine`. */
export const PUBLIC_KEY_LINE = new RegExp(
  `^(${Object.keys(FIELDS).join("|")}) [A-Za-z0-9+/]{40,}={0,3}( [^\\p{Cc}]*)?$`,
  "u",
);

/**
 * Whether a line is a whole key of the type that it names. A key that was cut off when it was copied, or has another key's type before it,
 * looks right, and shows only when somebody logs in.
 */
export function isPublicKeyLine(line: string): boolean {
  const [type = "", encoded = ""] = line.split(" ");
  const fields = fieldsOf(Buffer.from(encoded, "base64")) ?? [];
  return (
    PUBLIC_KEY_LINE.test(line) &&
    fields.length === FIELDS[type] &&
    fields[0]?.toString("latin1") === type &&
    (type !== "ssh-ed25519" || fields[1]?.length === ED25519_BYTES)
  );
}

/** Each field has its length before it, in four bytes. Undefined where they do not end with the key. */
function fieldsOf(key: Buffer): Buffer[] | undefined {
  const fields: Buffer[] = [];
  for (let rest = key; rest.length > 0; ) {
    const end = rest.length < 4 ? Number.POSITIVE_INFINITY : 4 + rest.readUInt32BE(0);
    if (end > rest.length) {
      return undefined;
    }
    fields.push(rest.subarray(4, end));
    rest = rest.subarray(end);
  }
  return fields;
}
