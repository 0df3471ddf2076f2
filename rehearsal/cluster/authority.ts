import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KubernetesObject } from "../../kubernetes/object";

const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
const DAYS = ["-days", "2"];

/** Keys of a Secret that cert-manager fills. */
export type IssuedCertificate = Readonly<Record<"tls.crt" | "tls.key" | "ca.crt", string>>;

/** Subject and usages of a certificate. */
export interface Holder {
  /** @default "server" */
  readonly commonName?: string;
  /** @default serverAuth only */
  readonly uses?: readonly ("serverAuth" | "clientAuth")[];
}

/** Test certificate authority, instead of cert-manager's issuers. */
export class Authority {
  private readonly folder = mkdtempSync(join(tmpdir(), "inference-stacks-ca-"));
  /** Its certificate, PEM. */
  readonly certificate: string;

  constructor() {
    const subject = ["-subj", "/CN=authority of a test", "-addext", "keyUsage=critical,keyCertSign"];
    this.openssl("req", "-x509", ...KEY, ...DAYS, ...subject, "-keyout", "ca.key", "-out", "ca.crt");
    this.certificate = this.read("ca.crt");
  }

  /**
   * Certificate with the keys and usages of our Certificates.
   *
   * @param names subject alternative names, such as `DNS:minio.model-store.svc`.
   */
  issue(names: readonly string[], { commonName = "server", uses = ["serverAuth"] }: Holder = {}): IssuedCertificate {
    this.openssl("req", ...KEY, "-subj", `/CN=${commonName}`, "-keyout", "tls.key", "-out", "tls.csr");
    const extensions = [
      "basicConstraints=CA:FALSE",
      "keyUsage=digitalSignature",
      `extendedKeyUsage=${uses.join(",")}`,
      `subjectAltName=${names.join(",")}`,
    ];
    writeFileSync(join(this.folder, "extensions"), extensions.join("\n"));
    const authority = ["-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial"];
    this.openssl("x509", "-req", "-in", "tls.csr", ...authority, ...DAYS, "-extfile", "extensions", "-out", "tls.crt");
    return { "tls.crt": this.read("tls.crt"), "tls.key": this.read("tls.key"), "ca.crt": this.certificate };
  }

  /** Secret that cert-manager fills for a Certificate with these DNS names. */
  tlsSecret(metadata: KubernetesObject["metadata"], names: readonly string[]): KubernetesObject {
    const stringData = { ...this.issue(names.map((name) => `DNS:${name}`)) };
    return { apiVersion: "v1", kind: "Secret", metadata, type: "kubernetes.io/tls", stringData };
  }

  discard(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private openssl(...args: string[]): void {
    execFileSync("openssl", args, { cwd: this.folder, stdio: "pipe" });
  }

  private read(file: string): string {
    return readFileSync(join(this.folder, file), "utf8");
  }
}
