/** Intended names: by one slip, else a common beginning, else few edits. */
import { distance } from "fastest-levenshtein";

/** More would be a list to read. */
const MOST_NAMES = 4;

/** Letters and digits only: `kv_cache_dtype` is `kvCacheDtype`, `rtx4090` is `rtx-4090`. */
export function folded(name: string): string {
  return name.toLowerCase().replace(/[\s_.:/-]+/g, "");
}

/**
 * Candidates one slip away, else with the same beginning, else nearest within one edit per four
 * letters. Other digits are other names: h100 is no slip of h200, nor fp16 of fp8.
 */
export function meantNames(name: string, candidates: readonly string[]): readonly string[] {
  const written = folded(name);
  if (written === "") {
    return [];
  }
  const known = candidates.map((candidate) => ({ candidate, text: folded(candidate) }));
  const same = known.filter(({ text }) => text === written);
  if (same.length > 0) {
    return namesOf(same);
  }
  const sameDigits = known.filter(({ text }) => digits(text) === digits(written));
  const slips = sameDigits.filter(({ text }) => isOneSlip(written, text));
  if (slips.length > 0) {
    return namesOf(slips);
  }
  const begun = beginAlike(name, candidates);
  return begun.length > 0 ? begun : nearest(written, sameDigits);
}

/** Undefined where none or ambiguous. */
export function didYouMean(name: string, candidates: readonly string[]): string | undefined {
  const [first, ...others] = meantNames(name, candidates);
  return others.length === 0 ? first : undefined;
}

/** `did you mean "x"?`, or names with the same beginning; else the alternative. */
export function suggest(name: string, candidates: readonly string[], otherwise: string): string {
  const meant = meantNames(name, candidates).map((each) => JSON.stringify(each));
  const rest = meant.length - MOST_NAMES;
  const [last, ...others] = meant.slice(0, MOST_NAMES).reverse();
  if (last === undefined) {
    return otherwise;
  }
  if (rest > 0) {
    return `did you mean one of ${meant.slice(0, MOST_NAMES).join(", ")}, or of ${rest} more that begin alike?`;
  }
  return `did you mean ${others.length === 0 ? last : `${others.reverse().join(", ")} or ${last}`}?`;
}

interface Known {
  readonly candidate: string;
  readonly text: string;
}

function namesOf(known: readonly Known[]): string[] {
  return known.map(({ candidate }) => candidate);
}

function digits(text: string): string {
  return text.replace(/\D/g, "");
}

/** One letter added, missing, changed or swapped; in two letters one change, in one none. */
function isOneSlip(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) < 2 || Math.abs(a.length - b.length) > 1) {
    return false;
  }
  if (distance(a, b) <= 1) {
    return true;
  }
  const at = [...a].findIndex((letter, index) => letter !== b[index]);
  return a.slice(0, at) + b.slice(at, at + 2) + a.slice(at + 2) === b && a[at] === b[at + 1] && a[at + 1] === b[at];
}

/** Names that it begins; else the longest that begins it; else those sharing most parts. */
function beginAlike(name: string, candidates: readonly string[]): readonly string[] {
  const written = name.toLowerCase();
  const longer = candidates.filter((each) => written.length >= 3 && each.toLowerCase().startsWith(written));
  if (longer.length > 0) {
    return longer;
  }
  const shorter = candidates.filter((each) => begins(each, name)).sort((a, b) => b.length - a.length);
  return shorter.length > 0 ? shorter.slice(0, 1) : withCommonParts(written, candidates);
}

/** A shortened name: `min` of `minimum`, but not `max` of `maxModelLen`. */
function begins(candidate: string, name: string): boolean {
  const rest = name.slice(candidate.length);
  const isSameWord = /^[a-z]/.test(rest) || candidate.length * 2 >= name.length;
  return candidate.length >= 3 && name.toLowerCase().startsWith(candidate.toLowerCase()) && isSameWord;
}

/**
 * Names of several parts with at least half in common, such as `h100-nvl` and `h100-pcie` for
 * `h100-sxm`.
 */
function withCommonParts(written: string, candidates: readonly string[]): readonly string[] {
  const parts = written.split(PARTS);
  const most = Math.max(0, ...candidates.map((each) => commonParts(parts, each)));
  return parts.length > 1 && most * 2 >= parts.length
    ? candidates.filter((each) => commonParts(parts, each) === most)
    : [];
}

const PARTS = /[-_.:/]/;

function commonParts(parts: readonly string[], candidate: string): number {
  const others = candidate.toLowerCase().split(PARTS);
  const other = parts.findIndex((part, index) => part !== others[index]);
  return other === -1 ? parts.length : other;
}

function nearest(written: string, known: readonly Known[]): readonly string[] {
  const most = Math.round(written.length / 4);
  const [first] = known
    // Skips names that are far too long: each letter of difference is an edit.
    .filter(({ text }) => Math.abs(text.length - written.length) <= most)
    .map(({ candidate, text }) => ({ candidate, edits: distance(written, text) }))
    .sort((a, b) => a.edits - b.edits);
  return first !== undefined && first.edits <= most ? [first.candidate] : [];
}
