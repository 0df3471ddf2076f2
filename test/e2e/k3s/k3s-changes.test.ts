import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ScriptInput } from "../../../components/cluster/k3s/host-script";
import { Machine } from "./machine";
import { FILES, installation, offer, playedRelease, playK3s } from "./played-k3s";

const TIMEOUT_MS = 120_000;
const RELEASE = playedRelease();
const RESTART = "systemctl restart --no-block k3s";
const CONFIG = "/etc/rancher/k3s/config.yaml";

let machine: Machine;
beforeEach(() => {
  machine = new Machine();
  playK3s(machine);
  offer(machine, RELEASE);
});
afterEach(() => machine.remove());

async function install(input: ScriptInput = installation(RELEASE)) {
  const outcome = await machine.run("k3s", "install", input);
  return { ...outcome, restarts: machine.calls.filter((call) => call === RESTART).length };
}

const labelled = () => readFileSync(machine.note("labelled"), "utf8").trimEnd().split("\n");

describe("what changes on a machine that is installed", { timeout: TIMEOUT_MS }, () => {
  it("restarts k3s once for settings that changed, and not for the same ones", async () => {
    await install();
    const changed = FILES.map((file) =>
      file.path === CONFIG ? { ...file, content: "node-name: workstation\ntls-san: [edge]\n" } : file,
    );
    const input = installation(RELEASE, {}, changed);
    expect(await install(input)).toMatchObject({ status: 0, restarts: 1 });
    expect(readFileSync(machine.note("runs-with"), "utf8")).toBe("node-name: workstation\ntls-san: [edge]\n");
    expect(await install(input)).toMatchObject({ status: 0, restarts: 0 });
  });

  it("restarts k3s for a file that somebody else changed, in content or mode, and makes it right", async () => {
    await install();
    const installed = machine.tree();
    machine.write(CONFIG, "node-name: workstation\n", 0o644);
    expect(await install()).toMatchObject({ status: 0, restarts: 1 });
    machine.write(CONFIG, "node-name: other\n", 0o600);
    expect(await install()).toMatchObject({ status: 0, restarts: 1 });
    expect(machine.tree()).toEqual(installed);
  });

  it("gives a place back to others whose file is no longer wanted there", async () => {
    const logind = "/etc/systemd/logind.conf.d/90-inference-stacks.conf";
    machine.write(logind, "[Login]\nKillUserProcesses=no\n", 0o640);
    const before = machine.tree()[logind];
    const { said } = await install();
    expect(said).toContain(
      `${logind} was there before: it is kept in /etc/inference-stacks/k3s/before, and put back when k3s goes`,
    );
    expect(machine.read(logind)).toBe("[Login]\n");
    const fewer = FILES.filter(({ path }) => path !== logind);
    expect(await install(installation(RELEASE, {}, fewer))).toMatchObject({ status: 0, restarts: 1 });
    expect(machine.tree()[logind]).toBe(before);
  });

  it("sets labels again, and takes those away that are gone, never others'", async () => {
    await install();
    await install(installation(RELEASE, { LABELS: "platform/pool=gpu" }));
    await install(installation(RELEASE, { LABELS: "platform/pool=gpu" }));
    const command = (labels: string) =>
      `kubectl --kubeconfig /etc/rancher/k3s/k3s.yaml label node workstation --overwrite ${labels}`;
    expect(labelled()).toEqual([
      command("platform/pool=workstation platform/role=edge"),
      command("platform/pool=gpu platform/role-"),
      command("platform/pool=gpu"),
    ]);
  });

  it("gives the kernel back its settings, and others their file, when k3s goes", async () => {
    const sysctl = "/etc/sysctl.d/90-kubelet.conf";
    machine.write(sysctl, "vm.overcommit_memory=2\n", 0o600);
    const before = machine.tree();
    await install();
    const kernel = () => readFileSync(machine.note("kernel"), "utf8").trim().split("\n").sort();
    expect(machine.read(sysctl)).toBe("vm.overcommit_memory=1\nkernel.panic=10\n");
    expect(kernel()).toEqual(["kernel.panic=10", "vm.overcommit_memory=1"]);
    await machine.run("k3s", "uninstall", installation(RELEASE));
    expect(kernel()).toEqual(["kernel.panic=0", "vm.overcommit_memory=0"]);
    expect(machine.tree()).toEqual(before);
  });
});

describe("a k3s that does not come up", { timeout: TIMEOUT_MS }, () => {
  it("shows the last that it said, and goes on from there once that is mended", async () => {
    machine.noted("broken", "");
    const { status, said, printed } = await install();
    expect({ status, printed }).toEqual({ status: 1, printed: "" });
    expect(said).toContain("k3s ends again and again. The last that k3s said:\n");
    expect(said).toContain('level=fatal msg="what k3s said last"\nMend what it names, then run it again');
    expect(machine.calls).toContain("journalctl --unit k3s --lines 25 --no-pager --output cat");
    rmSync(machine.note("broken"));
    const mended = await install();
    expect(mended).toMatchObject({ status: 0, restarts: 1 });
    expect(mended.said).not.toContain("running the installer");
  });

  it("names the settings that the kernel refuses, before it is started", async () => {
    machine.noted("no-sysctl", "");
    const { status, said, restarts } = await install();
    expect({ status, restarts }).toEqual({ status: 1, restarts: 0 });
    expect(said).toContain("the kernel does not take the settings in /etc/sysctl.d/90-kubelet.conf");
  });

  it("is refused where it keeps Secrets in clear", async () => {
    machine.noted("encryption", "Disabled\n");
    const { status, said, printed } = await install();
    expect({ status, printed }).toEqual({ status: 1, printed: "" });
    expect(said).toContain("k3s keeps Secrets in clear on workstation, for it was started once without");
  });
});

describe("a download", { timeout: TIMEOUT_MS }, () => {
  const kept = `/var/lib/inference-stacks/downloads/${installation(RELEASE).values.BINARY_SHA256}`;
  const binaries = () => machine.calls.filter((call) => call.startsWith("curl ") && call.includes("/k3s-v"));

  /** A server that sends 100 bytes of the binary at a time, until `unbroken` is there; with `anew`, only from the start. */
  function breaking(): void {
    machine.program(
      "curl",
      `go_on=
case "$*" in *"--continue-at -"*) go_on=yes ;; esac
for last; do :; done
while [ $# -gt 0 ]; do [ "$1" != --output ] || out=$2; shift; done
file=$MACHINE_FOLDER/net/$(/usr/bin/basename "$last")
[ -n "$go_on" ] || : >"$out"
had=$(/usr/bin/stat -c %s "$out" 2>/dev/null || echo 0)
[ "$had" = 0 ] || [ ! -e "$MACHINE_FOLDER/anew" ] || { echo "curl: (33) no ranges" >&2; exit 33; }
rest() { /usr/bin/tail -c "+$((had + 1))" "$file"; }
case $last in
  */k3s-v*) [ -e "$MACHINE_FOLDER/unbroken" ] || { rest | /usr/bin/head -c 100 >>"$out"; echo "curl: (18) broken" >&2; exit 18; } ;;
esac
rest >>"$out"`,
    );
  }

  it("that broke off, once and again, is said, kept, and goes on where it was", async () => {
    breaking();
    const { status, said } = await install();
    expect(status).toBe(1);
    expect(said).toContain("https://example.com/k3s-v1.36.4+k3s1 cannot be fetched by the machine workstation");
    expect(machine.read(`${kept}.part`)).toBe(RELEASE.binary.slice(0, 100));
    expect((await install()).status).toBe(1);
    expect(machine.read(`${kept}.part`)).toBe(RELEASE.binary.slice(0, 200));
    machine.noted("unbroken", "");
    expect((await install()).status).toBe(0);
    expect(binaries()).toHaveLength(1);
    expect(binaries()[0]).toContain("--continue-at -");
    expect(machine.read("/usr/local/bin/k3s")).toBe(RELEASE.binary);
    expect(machine.has("/var/lib/inference-stacks")).toBe(false);
  });

  it("begins anew from a server that cannot go on", async () => {
    breaking();
    await install();
    machine.noted("unbroken", "");
    machine.noted("anew", "");
    expect((await install()).status).toBe(0);
    expect(binaries().map((call) => call.includes("--continue-at -"))).toEqual([true, false]);
    expect(machine.read("/usr/local/bin/k3s")).toBe(RELEASE.binary);
  });

  it("of other content is not used, and not kept", async () => {
    writeFileSync(machine.note("net/k3s-v1.36.4+k3s1"), "#!/bin/sh\ntouch /root/taken-over\n");
    const { status, said, restarts } = await install();
    expect({ status, restarts }).toEqual({ status: 1, restarts: 0 });
    expect(said).toContain("is not the pinned file (sha256 ");
    expect(
      ["/usr/local/bin/k3s", `${kept}.part`, kept, "/root/taken-over"].filter((path) => machine.has(path)),
    ).toEqual([]);
    offer(machine, RELEASE);
    expect((await install()).status).toBe(0);
  });

  it("of another installer is not run", async () => {
    writeFileSync(machine.note("net/install-v1.36.4+k3s1.sh"), "touch /root/taken-over\n");
    expect((await install()).status).toBe(1);
    expect(machine.has("/root/taken-over")).toBe(false);
  });
});
