import type { Ledger } from "./ledger";
import type { Path } from "./path";

/** A limit below the minimum is a mistake: the minimum wins. */
export function noteLimit(ledger: Ledger, at: Path, most: number | undefined, least: number): void {
  if (most !== undefined && most < least) {
    ledger.wrong(at, `${most} is below the least number of replicas, ${least}: ${least} are planned`);
  } else {
    ledger.mapped(at, "models.*.replicas.max");
  }
}
