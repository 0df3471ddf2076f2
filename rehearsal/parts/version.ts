import { spawnSync } from "node:child_process";

/**
 * Version of a binary.
 *
 * @returns the first `1.2.3` of its output, `1.2` after a name (OpenSSH_9.2, GNU Make 4.3), or else
 *   its first line.
 * @throws Error when it cannot run, fails, or exceeds 30 seconds.
 */
export function askVersion(path: string, args: readonly string[]): string {
  const result = spawnSync(path, args, {
    encoding: "utf8",
    timeout: 30_000,
    // Prevents the Pulumi CLI's online update check.
    env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" },
  });
  const output = `${result.stdout ?? ""}${result.stderr ?? ""}`.trim();
  if (result.error !== undefined || result.status !== 0) {
    const why = result.error?.message ?? `exit status ${result.status ?? result.signal}: ${lastLine(output)}`;
    throw new Error(`${path} ${args.join(" ")}: ${why}`);
  }
  // Excludes the Go version that many programs print.
  return /(?<![\d.]|go)\d+\.\d+\.\d+|(?<=_|Make )\d+\.\d+/.exec(output)?.[0] ?? output.split("\n")[0] ?? "";
}

/** Whether a version such as "1.36.3" is at least another, compared by number. */
export function isAtLeast(version: string, oldest: string): boolean {
  const given = version.split(".").map(Number);
  const wanted = oldest.split(".").map(Number);
  const difference = wanted.map((number, index) => (given[index] ?? 0) - number).find((value) => value !== 0) ?? 0;
  return difference >= 0;
}

function lastLine(text: string): string {
  return text.slice(text.lastIndexOf("\n") + 1);
}
