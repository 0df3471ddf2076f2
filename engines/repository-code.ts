/** Python code in a model's repository that runs in its engine. */
import type { ArgumentValue } from "./served-model";

/** Whether the user allows it. Only then is it copied to the model store. */
export function runsRepositoryCode({ args }: { readonly args?: Readonly<Record<string, ArgumentValue>> }): boolean {
  return args?.["trust-remote-code"] === true;
}
