import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Takes what nobody holds any more, as Node does sooner or later: what only weak references hold is gone then. */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
}
