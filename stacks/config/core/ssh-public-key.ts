/** OpenSSH's one-line public keys: type, key in base64, comment. */

/**
 * Types of host keys, with their number of fields (RFC 4253 §6.6, RFC 5656 §3.1, RFC 8709 §4). Not
 * ssh-rsa: @pulumi/command 1.2.1 accepts only SHA-1 signatures for RSA keys, which OpenSSH since
 * 8.8 does not make.
 */
const FIELDS: Readonly<Record<string, number>> = {
  "ssh-ed25519": 2,
  "ecdsa-sha2-nistp256": 3,
  "ecdsa-sha2-nistp384": 3,
  "ecdsa-sha2-nistp521": 3,
};

/** Bytes of an Ed25519 key (RFC 8709 §4). */
const ED25519_BYTES = 32;

/** Form only; `isPublicKeyLine` checks the key itself. */
export const PUBLIC_KEY_LINE = new RegExp(
  `^(${Object.keys(FIELDS).join("|")}) [A-Za-z0-9+/]{40,}={0,3}( [^\\p{Cc}]*)?$`,
  "u",
);

/**
 * Checks that the key is complete and of its stated type: a truncated key, or one with another
 * type, looks right until login.
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

/** Four length bytes before each field. Undefined where they do not match the key. */
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
