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

/** A bare registration token: letters and digits (pkg/randomtoken); tokens of users have a colon. */
const TOKEN = /^[a-z0-9]{16,}$/;

/** Registration token from an import URL or a bare token; undefined for text of another form. */
export function registrationToken(text: string): string | undefined {
  const path = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = path?.search === "" && path.hash === "";
  return isPlain ? MANIFEST.exec(path.pathname)?.[1] : TOKEN.exec(text)?.[0];
}
