import { canonicalCidr } from "../../../names/cidr";
import type { Path, ProblemDraft } from "../core/problems";

/** A network not written by its first address: `10.0.0.1/16`. Empty otherwise. */
export function inCidrForm(path: Path, cidr: string, example: string): ProblemDraft[] {
  const canonical = canonicalCidr(cidr);
  return canonical === cidr
    ? []
    : [{ path, value: cidr, allowed: "a network in CIDR form", fix: `write ${canonical ?? example}` }];
}
