/**
 * Deterministic SSH keys for the two trial pods, derived from one secret, so stable across
 * deployments.
 */
import { createPrivateKey, createPublicKey, hkdfSync } from "node:crypto";

const TYPE = "ssh-ed25519";
/** DER prefixes of an ed25519 seed in PKCS #8 and of a public key in SPKI (RFC 8410). */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");
const SPKI_LENGTH = 12;
const LINE = 70;

export interface TrialKeys {
  /** Private keys in OpenSSH format, of the connecting and the answering pod. */
  readonly client: string;
  readonly host: string;
  /** Accepted login key: the client's. */
  readonly authorizedKeys: string;
  /** Accepted host key under any name: the host's. */
  readonly knownHosts: string;
}

/** @param secret unguessable, at least 32 random characters. */
export function trialKeys(secret: string): TrialKeys {
  const client = keyPair(secret, "client");
  const host = keyPair(secret, "host");
  return {
    client: client.privateKey,
    host: host.privateKey,
    authorizedKeys: `restrict ${client.publicKey} client\n`,
    knownHosts: `* ${host.publicKey}\n`,
  };
}

function keyPair(secret: string, purpose: string): { readonly privateKey: string; readonly publicKey: string } {
  const seed = Buffer.from(hkdfSync("sha256", secret, "inference-stacks fabric gate", purpose, 32));
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: "der", type: "pkcs8" });
  const point = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(SPKI_LENGTH);
  const publicBlob = Buffer.concat([field(TYPE), field(point)]);
  return {
    privateKey: opensshKey(seed, point, publicBlob, purpose),
    publicKey: `${TYPE} ${publicBlob.toString("base64")}`,
  };
}

/** openssh/openssh-portable, PROTOCOL.key: one key without a passphrase. */
function opensshKey(seed: Buffer, point: Buffer, publicBlob: Buffer, comment: string): string {
  // Two equal numbers verify decryption in this format, even without encryption.
  const check = Buffer.alloc(4);
  const inner = Buffer.concat([
    check,
    check,
    field(TYPE),
    field(point),
    field(Buffer.concat([seed, point])),
    field(comment),
  ]);
  const padding = Buffer.from(Array.from({ length: (8 - (inner.length % 8)) % 8 }, (_, i) => i + 1));
  const one = Buffer.from([0, 0, 0, 1]);
  const file = Buffer.concat([
    Buffer.from("openssh-key-v1\0"),
    field("none"),
    field("none"),
    field(""),
    one,
    field(publicBlob),
    field(Buffer.concat([inner, padding])),
  ]);
  const lines = file.toString("base64").match(new RegExp(`.{1,${LINE}}`, "g")) ?? [];
  return ["-----BEGIN OPENSSH PRIVATE KEY-----", ...lines, "-----END OPENSSH PRIVATE KEY-----", ""].join("\n");
}

function field(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
