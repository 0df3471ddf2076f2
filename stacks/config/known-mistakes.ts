/** Values that people write because they mean something, and that a schema could only call wrong. */
import type { Path, ProblemDraft } from "./core/problems";
import { valueAt } from "./core/problems";

/** What is meant and cannot be, or undefined for every other value. One draft, whichever issue of the value asks. */
export function knownMistake(path: Path, input: unknown): ProblemDraft | undefined {
  const [section, pool, key] = path;
  if (section !== "pools" || pool === undefined) {
    return undefined;
  }
  const at = [section, pool, ...(key === undefined ? [] : [key])];
  const value = valueAt(input, at);
  if (key === "shape" && Array.isArray(value)) {
    return {
      path: at,
      value,
      allowed: "one shape per pool: its nodes are interchangeable, and replicas that span nodes need equal machines",
      fix: "make a pool for each shape",
    };
  }
  if (key === "capacity" && typeof value === "object" && value !== null && "spot" in value) {
    return {
      path: at,
      value,
      allowed:
        "reservation" in value
          ? "spot or a reservation: preemptible machines cannot come out of a reservation"
          : "the word spot, without a mapping",
      fix: "reservation" in value ? "write capacity: spot, or keep the reservation alone" : "write capacity: spot",
    };
  }
  return undefined;
}
