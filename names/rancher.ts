/** What a Rancher server and its agent agree on (rancher/rancher v2.15.0). */
import { createHash } from "node:crypto";

/**
 * Checksum by which the agent knows the authority that its server hands out: of the PEM text with one line break at its end
 * (pkg/systemtemplate/import.go, CAChecksum). Empty: the authority is a public one.
 */
export function authorityChecksum(caCerts: string | undefined): string {
  return caCerts === undefined ? "" : createHash("sha256").update(`${caCerts.trim()}\n`).digest("hex");
}

/** Last part of an import URL: `<token>_<ID of the cluster>.yaml` (pkg/controllers/dashboard/clusterregistrationtoken/status.go). */
const MANIFEST = /\/v3\/import\/([^/_]+)_[^/]+\.yaml$/;

/** The registration token in what a Rancher server shows: an import URL, or the token itself. */
export function registrationToken(text: string): string {
  return MANIFEST.exec(text)?.[1] ?? text;
}
