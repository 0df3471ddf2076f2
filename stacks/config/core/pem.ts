/** CA certificates in PEM, in fields and files. */
import { X509Certificate } from "node:crypto";
import { z } from "zod";
import type { Path, ProblemDraft } from "./problems";

/** Concatenated certificates only. */
export const pemCertificates = z
  .string()
  .max(65_536)
  .regex(/^(\s*-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+$/);

/**
 * What is wrong with certificates that should be of authorities.
 *
 * @param fix where to find the right ones.
 */
export function authorityProblems(path: Path, text: string | undefined, fix: string): ProblemDraft[] {
  return text === undefined || areAuthorities(text)
    ? []
    : [
        {
          path,
          value: "text that is no certificate of an authority",
          allowed: "certificates of authorities (CA:TRUE), in PEM",
          fix,
        },
      ];
}

/** Whether a text holds certificates, each of an authority. */
export function areAuthorities(text: string): boolean {
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return certificates.length > 0 && certificates.every(isAuthority);
}

function isAuthority(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false;
  }
}
