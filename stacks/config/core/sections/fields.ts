/**
 * Building blocks of the sections.
 *
 * Each field has metadata, for the editors' JSON Schema and messages:
 * - `description`: what it decides;
 * - `unit`: of numbers;
 * - `allowed`: meaning of a pattern;
 * - `example`: a valid value. (zod drops the standard `examples` of schemas with a transform.)
 */
import { z } from "zod";

/** RFC 1123 DNS label, for namespaces, Services, routes and label values. */
export function dnsLabel(maxLength = 63) {
  return z
    .string()
    .max(maxLength)
    .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/)
    .meta({
      allowed: `lower-case letters, digits and "-", at most ${maxLength} characters, beginning and ending with a letter or digit`,
    });
}

/** DNS name: no IP address, whose last label is a number. */
const HOSTNAME = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** A public DNS name. */
export const hostname = z
  .string()
  .max(253)
  .regex(HOSTNAME)
  .meta({ allowed: "a lower-case DNS name with at least one dot, no IP address" });

/** With both bounds, for messages. */
export function wholeNumber(minimum: number, maximum: number) {
  return z.int().min(minimum).max(maximum);
}

interface UrlForm {
  /** Schemes, without the colon. */
  readonly protocol: RegExp;
  /** @default 2048 */
  readonly maxLength?: number;
}

/**
 * A URL with :// in RFC 3986 characters only: others are invisible, change direction, or are
 * dropped by parsers, so that people and programs would read different servers. Used for every URL
 * of the configuration.
 */
export function url({ protocol, maxLength = 2048 }: UrlForm) {
  return z
    .string()
    .max(maxLength)
    .regex(/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=%-]+$/)
    .check(z.url({ protocol }));
}

export const variableName = z
  .string()
  .max(128)
  .regex(/^[A-Za-z_]\w*$/)
  .meta({ allowed: "the name of an environment variable" });

/** One line without control or direction characters, for arguments, labels and terminals. */
export function text(maxLength = 256) {
  return z
    .string()
    .min(1)
    .max(maxLength)
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+$/u)
    .meta({ allowed: `text on one line, at most ${maxLength} characters` });
}

/** Kubernetes label key, with optional prefix. */
export const labelKey = z
  .string()
  .max(317)
  .regex(/^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/)
  .meta({ allowed: "a Kubernetes label key" });

export const labelValue = z
  .string()
  .regex(/^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/)
  .meta({ allowed: "a Kubernetes label value (text; quote numbers, true and false)", example: "blue" });

/** Per node. */
export const usdPerHour = z.number().min(0).max(100_000);
