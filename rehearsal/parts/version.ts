import { spawnSync } from "node:child_process";

/**
 * What a binary says its version is.
 *
 * @returns the first `1.2.3` of its output, or `1.2` behind a name (OpenSSH_9.2, GNU Make 4.3), or its first line where there is none.
 * @throws Error when it cannot be run, fails, or does not answer within 30 seconds.
 */
export function askVersion(path: string, args: readonly string[]): string {
  const result = spawnSync(path, args, {
    encoding: "utf8",
    timeout: 30_000,
    // The Pulumi CLI would otherwise look for a newer one on the network first.
    env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" },
  });
  const output = `${result.stdout ?? ""}${result.stderr ?? ""}`.trim();
  if (result.error !== undefined || result.status !== 0) {
    const why = result.error?.message ?? `exit status ${result.status ?? result.signal}: ${lastLine(output)}`;
    throw new Error(`${path} ${args.join(" ")}: ${why}`);
  }
  // Many also print the version of Go that built them.
  return /(?<![\d.]|go)\d+\.\d+\.\d+|(?<=_|Make )\d+\.\d+/.exec(output)?.[0] ?? output.split("\n")[0] ?? "";
}

/** Whether a version such as "1.36.3" is as new as another, number by number. */
export function isAtLeast(version: string, oldest: string): boolean {
  const given = version.split(".").map(Number);
  const wanted = oldest.split(".").map(Number);
  const difference = wanted.map((number, index) => (given[index] ?? 0) - number).find((value) => value !== 0) ?? 0;
  return difference >= 0;
}

function lastLine(text: string): string {
  return text.slice(text.lastIndexOf("\n") + 1);
}
