/** Conventions of a Rancher server and its agent (rancher/rancher v2.15.0). */
import { createHash } from "node:crypto";

/**
 * Checksum by which the agent verifies its server's authority: of the PEM text with one final line
 * break (pkg/systemtemplate/import.go, CAChecksum). Empty for a public authority.
 */
export function authorityChecksum(caCerts: string | undefined): string {
  return caCerts === undefined ? "" : createHash("sha256").update(`${caCerts.trim()}\n`).digest("hex");
}

/**
 * End of an import URL: `<token>_<ID of the cluster>.yaml`
 * (pkg/controllers/dashboard/clusterregistrationtoken/status.go).
 */
const MANIFEST = /\/v3\/import\/([^/_]+)_[^/]+\.yaml$/;

/** Registration token from an import URL or a bare token. */
export function registrationToken(text: string): string {
  return MANIFEST.exec(text)?.[1] ?? text;
}
