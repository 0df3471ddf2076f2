import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A key as the `tls` provider makes it, in PEM. */
export function privateKey(): string {
  return generateKeyPairSync("ec", { namedCurve: "P-256" })
    .privateKey.export({ type: "sec1", format: "pem" })
    .toString();
}

/** A client's certificate that is its own authority, in PEM. */
export function selfSigned(key: string, { commonName, days }: { commonName: string; days: number }): string {
  const extensions = ["basicConstraints=critical,CA:FALSE", "keyUsage=digitalSignature", "extendedKeyUsage=clientAuth"];
  const cwd = mkdtempSync(join(tmpdir(), "inference-stacks-tls-"));
  try {
    writeFileSync(join(cwd, "key"), key, { mode: 0o600 });
    const args = ["req", "-x509", "-key", "key", "-days", String(Math.ceil(days)), "-subj", `/CN=${commonName}`];
    const added = extensions.flatMap((extension) => ["-addext", extension]);
    return execFileSync("openssl", [...args, ...added], { cwd, encoding: "utf8", stdio: "pipe" });
  } finally {
    rmSync(cwd, { recursive: true });
  }
}
