import { remote } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { shippedText } from "../../../names/shipped-file";
import type { Host } from "./settings";

/** A file that a script writes on the machine; root owns it. */
export interface HostFile {
  readonly path: string;
  /** In octal: "0600". */
  readonly mode: string;
  readonly content: pulumi.Input<string>;
}

/** What a script is told. */
export interface ScriptInput {
  /** By the names that the script reads: capital letters, digits and "_". */
  readonly values: Readonly<Record<string, pulumi.Input<string>>>;
  readonly files?: readonly HostFile[];
}

/** File in `scripts/`, without `.sh`, that defines `main`, which gets the verb. */
export type HostScript = "host-checks" | "k3s" | "kubeconfig";

export interface HostScriptArgs extends ScriptInput {
  readonly host: Host;
  readonly script: HostScript;
  /** What the script does when the resource is made or changed: it must end in the same state however often it runs. */
  readonly verb: string;
  /** What it does when the resource is deleted. @default nothing */
  readonly undo?: string;
  /** Whether what it prints on stdout is secret. Its stderr, which tells of its progress, is shown and never secret. */
  readonly secretOutput?: boolean;
}

/**
 * Runs a script of this folder as root on a machine. The script and all that it is told go over standard input, so that
 * nothing of it is in a list of processes or in a history; the machine keeps no copy. A change of either runs it again.
 *
 * No `triggers`: in this release of the provider they replace, and a replacement is made before the old one is deleted.
 * `undo` would then take away what had just been made.
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
      // stdout is data for this program, and may be secret; the provider would print it.
      logging: "stderr",
      addPreviousOutputInEnv: false,
    },
    pulumi.mergeOptions(opts, { additionalSecretOutputs: secretOutput ? ["stdout"] : [] }),
  );
}

/**
 * Failed tries after which one more is the last: four in all. The provider's default is eleven, of up to fifteen seconds each:
 * nobody waits that long for a wrong key.
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
 * What the machine's login shell runs. It is part of every message of a script that fails, so it is short: what makes the
 * user root is the first line of the input (become-root.sh, in base64), and the password, or nothing, the second. `read`
 * takes no byte more than its line, so the rest is there for the shell of root.
 */
export function commandLine(host: Pick<Host, "user" | "password">, script: HostScript, verb: string): string {
  return needsStart(host)
    ? `sh -c 'read -r start && eval "$(echo "$start" | base64 -d)"' ${script} ${verb}`
    : `sh -s ${script} ${verb}`;
}

/** The whole input of that command. */
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

/** Marks the end of what a script is told; no line of base64 is like it. */
const END = "end-of-input";

/**
 * What the shell of root reads: functions, and last the call of `main` with what it is told as its own input. The
 * shell runs that call once it has read all of it; `main` refuses input without its last line, which is one cut off.
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

/** Files of `scripts/` that a script uses, in the order in which they are put before it. */
const PARTS: Readonly<Record<HostScript, readonly string[]>> = {
  "host-checks": ["lib", "ownership", "releases", "check-system", "check-disk", "check-network", "check-gpu"],
  k3s: ["lib", "ownership", "state", "releases", "files", "fetch", "uninstall"],
  kubeconfig: ["lib", "ownership"],
};

/** A script of this folder with all that it uses. */
export function hostScriptText(script: HostScript): string {
  return [...PARTS[script], script].map(scriptFile).join("\n\n");
}

function scriptFile(name: string): string {
  return shippedText(`components/cluster/k3s/scripts/${name}.sh`).trimEnd();
}

function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}
