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

/** Text without control characters or line breaks: it ends up in arguments, labels and terminals. */
export function text(maxLength = 256) {
  return z
    .string()
    .min(1)
    .max(maxLength)
    .regex(/^[^\p{Cc}]+$/u)
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
