/** CA certificates in PEM, in fields and files. */
import { X509Certificate } from "node:crypto";
import { z } from "zod";

/** Concatenated certificates only. */
export const pemCertificates = z
  .string()
  .max(65_536)
  .regex(/^(\s*-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+$/);

/** Whether all certificates are CAs. */
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
