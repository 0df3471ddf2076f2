/**
 * Building blocks of the sections.
 *
 * Every field carries metadata besides its type; the JSON Schema for editors and the error messages are made from it:
 * - `description`: what it decides;
 * - `unit`: of numbers;
 * - `allowed`: what a pattern means, in words;
 * - `example`: a value that works. (zod drops the standard `examples` of what has a transform in it.)
 */
import { z } from "zod";

/** DNS label of RFC 1123: names that become namespaces, Services, routes or label values. */
export function dnsLabel(maxLength = 63) {
  return z
    .string()
    .max(maxLength)
    .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/)
    .meta({
      allowed: `lower-case letters, digits and "-", at most ${maxLength} characters, beginning and ending with a letter or digit`,
    });
}

/** Name that clients find in the DNS: no IP address, whose last label is a number. */
const HOSTNAME = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Name that clients find in the DNS. */
export const hostname = z
  .string()
  .max(253)
  .regex(HOSTNAME)
  .meta({ allowed: "a lower-case DNS name with at least one dot, no IP address" });

/** Whole number with both bounds, so that every message can state them. */
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
 * A URL with ://, of the characters of RFC 3986 alone: others are invisible, change the direction of what follows, or are dropped by parsers, so
 * that people and programs would read different servers. Every URL of the configuration is one of these.
 */
export function url({ protocol, maxLength = 2048 }: UrlForm) {
  return z
    .string()
    .max(maxLength)
    .regex(/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=%-]+$/)
    .check(z.url({ protocol }));
}

/** Name of an environment variable. */
export const variableName = z
  .string()
  .max(128)
  .regex(/^[A-Za-z_]\w*$/)
  .meta({ allowed: "the name of an environment variable" });

/** Text on one line without control characters or marks that turn its direction: it ends up in arguments, labels and terminals. */
export function text(maxLength = 256) {
  return z
    .string()
    .min(1)
    .max(maxLength)
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+$/u)
    .meta({ allowed: `text on one line, at most ${maxLength} characters` });
}

/** Key of a label in Kubernetes, with or without a prefix. */
export const labelKey = z
  .string()
  .max(317)
  .regex(/^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/)
  .meta({ allowed: "a Kubernetes label key" });

export const labelValue = z
  .string()
  .regex(/^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/)
  .meta({ allowed: "a Kubernetes label value (text; quote numbers, true and false)", example: "blue" });

/** A price of one node for one hour. */
export const usdPerHour = z.number().min(0).max(100_000);
