import { Authority, type IssuedCertificate } from "../../../rehearsal/cluster/authority";

/**
 * A server's certificate by a new authority of its own.
 *
 * @param names subject alternative names, such as `DNS:minio.model-store.svc`.
 */
export function issueCertificate(names: readonly string[]): IssuedCertificate {
  const authority = new Authority();
  try {
    return authority.issue(names);
  } finally {
    authority.discard();
  }
}
