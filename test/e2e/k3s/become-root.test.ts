import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commandLine, loginInput, standardInput } from "../../../components/cluster/k3s/host-script";
import { Machine, resolved, SHELLS } from "./machine";

const TIMEOUT_MS = 60_000;
const PASSWORD = "open sesame";

/** sudo with the options that are used: asks for a password on its input, three times, unless it needs none. */
const SUDO = `
quiet= asks=yes
[ ! -e "$MACHINE_FOLDER/no-password" ] || asks=
while :; do
  case $1 in
    -k | -S) shift ;;
    -n) quiet=yes; shift ;;
    -p) shift 2 ;;
    *) break ;;
  esac
done
if [ -n "$asks" ]; then
  [ -z "$quiet" ] || { echo "sudo: a password is required" >&2; exit 1; }
  for try in 1 2 3; do
    IFS= read -r given || { echo "sudo: $((try - 1)) incorrect password attempt" >&2; exit 1; }
    [ "$given" != "${PASSWORD}" ] || { right=yes; break; }
    echo "$given" >>"$MACHINE_FOLDER/wrong"
    echo "Sorry, try again." >&2
  done
  [ -n "$right" ] || exit 1
fi
exec "$@"`;

let machine: Machine;
beforeEach(() => {
  machine = new Machine();
  // Whoever logs in is nobody in particular; the shell under sudo is root.
  machine.program("id", `case $1 in -u) echo 1000 ;; -un) echo ops ;; esac`);
  machine.program("sudo", SUDO);
});
afterEach(() => machine.remove());

async function kubeconfig(password: string | undefined, shell: string) {
  const host = { user: "ops", password: password === undefined ? undefined : pulumi.secret(password) };
  const line = commandLine(host, "kubeconfig", "read");
  const stdin = await resolved(loginInput(host, standardInput("kubeconfig", { values: {} })));
  return machine.shell(line.replace(/^sh /, `${shell} `), stdin);
}

describe.each(SHELLS)("becoming root, in %s", (shell) => {
  it.each([
    { name: "with the password that sudo asks for", password: PASSWORD, needsNone: false },
    { name: "with a password that sudo does not ask for", password: PASSWORD, needsNone: true },
    { name: "without a password", password: undefined, needsNone: true },
  ])("works $name", { timeout: TIMEOUT_MS }, async ({ password, needsNone }) => {
    if (needsNone) {
      machine.noted("no-password", "");
    }
    const { said } = await kubeconfig(password, shell);
    // The script itself, which finds no k3s.
    expect(said).toBe("/etc/rancher/k3s/k3s.yaml is not there: k3s has not been started on this machine\n");
  });

  it("ends at a wrong password with what mends it, and sudo reads nothing else", { timeout: TIMEOUT_MS }, async () => {
    const { status, said } = await kubeconfig("shut sesame", shell);
    expect(said).toBe(
      "Sorry, try again.\nsudo: 1 incorrect password attempt\nsudo does not let ops become root with that password: pulumi config set --secret inference-stacks:sshPassword, or see what sudo says above\n",
    );
    expect(status).toBe(1);
    expect(readFileSync(machine.note("wrong"), "utf8")).toBe("shut sesame\n");
  });

  it("asks for a password where there is none", { timeout: TIMEOUT_MS }, async () => {
    const { said } = await kubeconfig(undefined, shell);
    expect(said).toBe(
      "sudo asks ops for a password on this machine: pulumi config set --secret inference-stacks:sshPassword, or let ops use sudo without one\n",
    );
  });
});
