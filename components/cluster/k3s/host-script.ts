import { remote } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { shippedText } from "../../../names/shipped-file";
import type { Host } from "./settings";

/** A file on the machine, owned by root. */
export interface HostFile {
  readonly path: string;
  /** In octal: "0600". */
  readonly mode: string;
  readonly content: pulumi.Input<string>;
}

export interface ScriptInput {
  /** By variable name: capital letters, digits and "_". */
  readonly values: Readonly<Record<string, pulumi.Input<string>>>;
  readonly files?: readonly HostFile[];
}

/** File in `scripts/`, without `.sh`, that defines `main`, called with the verb. */
export type HostScript = "host-checks" | "k3s" | "kubeconfig";

export interface HostScriptArgs extends ScriptInput {
  readonly host: Host;
  readonly script: HostScript;
  /** Action on create and update; must be idempotent. */
  readonly verb: string;
  /** Action on delete. @default none */
  readonly undo?: string;
  /** Whether stdout is secret. Progress on stderr is shown, never secret. */
  readonly secretOutput?: boolean;
}

/**
 * Runs a script as root on a machine. Script and inputs use standard input, so they appear in no
 * process list or shell history. A change runs it again.
 *
 * No `triggers`: they replace, creating before deleting, so `undo` would remove the new
 * installation.
 */
export function hostScript(
  name: string,
  { host, script, verb, undo, secretOutput = false, ...input }: HostScriptArgs,
  opts: pulumi.CustomResourceOptions,
): remote.Command {
  return new remote.Command(
    name,
    {
      connection: connectionOf(host),
      create: commandLine(host, script, verb),
      ...(undo !== undefined && { delete: commandLine(host, script, undo) }),
      stdin: loginInput(host, standardInput(script, input)),
      // stdout is data, possibly secret, and the provider would print it.
      logging: "stderr",
      addPreviousOutputInEnv: false,
    },
    pulumi.mergeOptions(opts, { additionalSecretOutputs: secretOutput ? ["stdout"] : [] }),
  );
}

/**
 * Retries after the first failure. The provider's default is eleven, up to fifteen seconds each,
 * too long for a wrong key.
 */
const FAILED_TRIES = 3;

function connectionOf(host: Host) {
  const { address, user, port, hostKey, privateKey, privateKeyPassphrase, password } = host;
  return {
    host: address,
    user,
    port,
    hostKey,
    dialErrorLimit: FAILED_TRIES,
    ...(privateKey && { privateKey }),
    ...(privateKeyPassphrase && { privateKeyPassword: privateKeyPassphrase }),
    ...(password && { password }),
  };
}

/**
 * Login shell command. Short, because it appears in every error message. The first input line, in
 * base64, is become-root.sh; the second is the password or empty. `read` consumes exactly one line.
 */
export function commandLine(host: Pick<Host, "user" | "password">, script: HostScript, verb: string): string {
  return needsStart(host)
    ? `sh -c 'read -r start && eval "$(echo "$start" | base64 -d)"' ${script} ${verb}`
    : `sh -s ${script} ${verb}`;
}

export function loginInput(host: Pick<Host, "user" | "password">, script: pulumi.Input<string>): pulumi.Output<string> {
  return pulumi
    .all([host.password, script])
    .apply(([password, text]) =>
      needsStart(host) ? `${base64(scriptFile("become-root"))}\n${password ?? ""}\n${text}` : text,
    );
}

function needsStart({ user, password }: Pick<Host, "user" | "password">): boolean {
  return user !== "root" || password !== undefined;
}

/** End marker of the inputs; never equal to a base64 line. */
const END = "end-of-input";

/**
 * Input of the root shell: functions, then the call of `main` with its input. `main` refuses input
 * without its last line, to detect truncation.
 */
export function standardInput(script: HostScript, { values, files = [] }: ScriptInput): pulumi.Output<string> {
  const told = [
    ...Object.entries(values).map(([key, value]) =>
      pulumi.output(value).apply((text) => `value ${key} ${base64(text)}`),
    ),
    ...files.map(({ path, mode, content }) =>
      pulumi.output(content).apply((text) => `file ${mode} ${path} ${base64(text)}`),
    ),
  ];
  return pulumi
    .all(told)
    .apply((lines) => [hostScriptText(script), `run "$@" <<'${END}'`, ...lines, "end", END, ""].join("\n"));
}

/** Files of `scripts/` that each script needs, in order. */
const PARTS: Readonly<Record<HostScript, readonly string[]>> = {
  "host-checks": ["lib", "ownership", "releases", "check-system", "check-disk", "check-network", "check-gpu"],
  k3s: ["lib", "ownership", "state", "releases", "files", "fetch", "uninstall"],
  kubeconfig: ["lib", "ownership"],
};

export function hostScriptText(script: HostScript): string {
  return [...PARTS[script], script].map(scriptFile).join("\n\n");
}

function scriptFile(name: string): string {
  return shippedText(`components/cluster/k3s/scripts/${name}.sh`).trimEnd();
}

function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}
