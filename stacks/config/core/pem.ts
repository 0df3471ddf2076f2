/** Certificates of authorities in PEM, as fields and files hold them. */
import { X509Certificate } from "node:crypto";
import { z } from "zod";
import type { ProblemDraft } from "./problems";

/** Text of certificates alone, one below the other. */
export const pemCertificates = z
  .string()
  .max(65_536)
  .regex(/^(\s*-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+$/);

/** Whether a text holds certificates, each of an authority. */
export function areAuthorities(text: string): boolean {
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return certificates.length > 0 && certificates.every(isAuthority);
}

/** Problem of a field that is to hold certificates of authorities, if it has other ones. */
export function* authorityProblems(
  path: readonly string[],
  text: string | undefined,
  fix: string,
): Iterable<ProblemDraft> {
  if (text !== undefined && !areAuthorities(text)) {
    yield {
      path: [...path],
      value: "text that is no certificate of an authority",
      allowed: "certificates of authorities (CA:TRUE), in PEM",
      fix,
    };
  }
}

function isAuthority(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false;
  }
}
