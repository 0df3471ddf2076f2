import type { Ledger } from "./ledger";
import type { Path } from "./path";

/** Notes the most replicas: a limit below the least is a mistake, and the least counts. */
export function noteLimit(ledger: Ledger, at: Path, most: number | undefined, least: number): void {
  if (most !== undefined && most < least) {
    ledger.wrong(at, `${most} is below the least number of replicas, ${least}: ${least} are planned`);
  } else {
    ledger.mapped(at, "models.*.replicas.max");
  }
}
