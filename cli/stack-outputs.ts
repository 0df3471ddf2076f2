import { parseJson } from "../names/json-text";
import { type CommandPlace, captured } from "./try/run-command";

/** Why outputs are missing, in terms of Pulumi's command line. */
export interface NoOutputs {
  readonly problem: string;
}

/**
 * Stack outputs with plaintext secrets, through a pipe only: in no file, command line or log.
 *
 * @param stack its name.
 */
export async function stackOutputs(
  stack: string,
  place: CommandPlace,
): Promise<{ readonly outputs: unknown } | NoOutputs> {
  const args = ["--non-interactive", "stack", "output", "--json", "--show-secrets", "--stack", stack];
  const { status, out, err } = await captured("pulumi", args, place);
  if (status === undefined) {
    return { problem: "pulumi is not on the PATH: https://www.pulumi.com/docs/install/" };
  }
  // A parser's message would quote its input.
  const outputs = status === 0 ? parseJson(out) : undefined;
  return outputs === undefined ? { problem: err.trim() || "pulumi printed no JSON" } : { outputs };
}
