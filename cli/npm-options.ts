/** npm keeps options before `--` and passes them to scripts only as variables. */

/** Options of the user's own npm, such as a proxy's certificates, irrelevant to our command. */
const OPTIONS_OF_NPM: readonly string[] = ["ca"];

/**
 * Advice for `npm run plan dev --json`; undefined when npm kept nothing.
 *
 * @param options that the command has.
 * @param argv as passed by npm.
 */
export function keptByNpm(
  command: string,
  options: readonly string[],
  argv: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): string | undefined {
  // `npm start` is the plan of dev.
  const scripts = command === "plan" ? ["plan", "start"] : [command];
  if (env.npm_command === "exec" || !scripts.includes(env.npm_lifecycle_event ?? "")) {
    return undefined;
  }
  const kept = options.filter(
    (option) =>
      env[`npm_config_${option.replaceAll("-", "_")}`] === "true" &&
      !OPTIONS_OF_NPM.includes(option) &&
      !argv.some((word) => word === `--${option}` || word.startsWith(`--${option}=`)),
  );
  if (kept.length === 0) {
    return undefined;
  }
  const names = kept.map((option) => `--${option}`);
  return `npm kept ${names.join(" and ")} for itself: options of the command follow --, as in npm run ${command} -- dev ${names.join(" ")}`;
}
