/** Python code that lies beside a model's weights and runs in its engine. */
import type { ArgumentValue } from "./served-model";

/** Whether the user lets the engine run it. Only then is it copied into the model store. */
export function runsRepositoryCode({ args }: { readonly args?: Readonly<Record<string, ArgumentValue>> }): boolean {
  return args?.["trust-remote-code"] === true;
}
