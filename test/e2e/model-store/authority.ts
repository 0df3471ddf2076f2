import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The keys of a Secret that cert-manager fills. */
export type IssuedCertificate = Readonly<Record<"tls.crt" | "tls.key" | "ca.crt", string>>;

const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

/**
 * A server's certificate by a new authority of its own, with the keys and usages that the store's Certificates ask for.
 *
 * @param names subject alternative names, such as `DNS:minio.model-store.svc`.
 */
export function issueCertificate(names: readonly string[]): IssuedCertificate {
  const folder = mkdtempSync(join(tmpdir(), "inference-stacks-e2e-"));
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  try {
    const days = ["-days", "2"];
    openssl("req", "-x509", ...KEY, ...days, "-subj", "/CN=model store", "-keyout", "ca.key", "-out", "ca.crt");
    openssl("req", ...KEY, "-subj", "/CN=minio", "-keyout", "tls.key", "-out", "tls.csr");
    const extensions = [
      "basicConstraints=CA:FALSE",
      "keyUsage=digitalSignature",
      "extendedKeyUsage=serverAuth",
      `subjectAltName=${names.join(",")}`,
    ];
    writeFileSync(join(folder, "extensions"), extensions.join("\n"));
    const authority = ["-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial"];
    openssl("x509", "-req", "-in", "tls.csr", ...authority, ...days, "-extfile", "extensions", "-out", "tls.crt");
    const text = (file: string) => readFileSync(join(folder, file), "utf8");
    return { "tls.crt": text("tls.crt"), "tls.key": text("tls.key"), "ca.crt": text("ca.crt") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
