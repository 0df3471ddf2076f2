import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bootFilePath } from "../../../components/cluster/oke/cloud-init/boot-part";

// A root of its own, and programs that only say what they are told: what the script decides, not what Oracle's do.
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "join-oke-"));
  program("systemctl", '[ "$1" != is-active ]');
  program("sleep");
  os("ol", "");
  file("/var/run/.keep", "");
  file("/etc/apt/sources.list.d/.keep", "");
  file("/kubelet-arguments", "--register-with-taints=a=b:NoSchedule,c=d:NoSchedule\n--cpu-manager-policy=static\n");
});
afterEach(() => rmSync(folder, { recursive: true }));

const ARGUMENTS = "--register-with-taints=a=b:NoSchedule,c=d:NoSchedule --cpu-manager-policy=static";

function file(path: string, text: string, mode = 0o644): void {
  const target = join(folder, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
  chmodSync(target, mode);
}

/** A program on the script's PATH: it notes its arguments, then does this. */
function program(name: string, body = "true"): void {
  file(`/bin/${name}`, `#!/bin/sh\necho "${name} $*" >>"$NODE_ROOT/log"\n${body}\n`, 0o755);
}

function os(id: string, codename: string): void {
  file("/etc/os-release", `NAME="Some Linux"\nID="${id}"\nVERSION_CODENAME=${codename}\n`);
}

/** The metadata service answers with a start-up script that notes its arguments. */
function metadata(startUp: string): void {
  program("curl", `printf %s '${Buffer.from(startUp).toString("base64")}'`);
}

const NOTES_ARGUMENTS = 'echo "oke-init $*" >>"$NODE_ROOT/log"\n';

interface Outcome {
  readonly status: number;
  /** What was called, but for waiting. */
  readonly calls: readonly string[];
  readonly said: string;
}

function run(...more: string[]): Promise<Outcome> {
  const env = {
    PATH: `${join(folder, "bin")}:/usr/bin:/bin`,
    NODE_ROOT: folder,
    JOIN_ATTEMPTS: "3",
    JOIN_PAUSE_SECONDS: "0",
  };
  const args = [bootFilePath("join-oke.sh"), join(folder, "kubelet-arguments"), "v1.34.2", ...more];
  return new Promise((resolve) => {
    execFile("bash", args, { env, timeout: 30_000 }, (error, stdout, stderr) => {
      const log = join(folder, "log");
      const calls = existsSync(log) ? readFileSync(log, "utf8").split("\n") : [];
      resolve({
        status: typeof error?.code === "number" ? error.code : error ? -1 : 0,
        calls: calls.filter((call) => call !== "" && !call.startsWith("sleep") && !call.includes("is-active")),
        said: stdout + stderr,
      });
    });
  });
}

describe("a machine with Oracle Linux", () => {
  it("runs Oracle's own start-up script, with the kubelet's arguments as one", async () => {
    metadata(NOTES_ARGUMENTS);
    const { status, calls } = await run();
    expect(calls.at(-1)).toBe(`oke-init --kubelet-extra-args ${ARGUMENTS}`);
    expect(calls[0]).toContain("http://169.254.169.254/opc/v2/instance/metadata/oke_init_script");
    expect(calls[0]).toContain("Authorization: Bearer Oracle");
    expect(status).toBe(0);
  });

  it("grows its root first, and joins where there is nothing to grow", async () => {
    metadata(NOTES_ARGUMENTS);
    file("/usr/libexec/oci-growfs", '#!/bin/sh\necho "growfs $*" >>"$NODE_ROOT/log"\nexit 1\n', 0o755);
    const { status, calls, said } = await run();
    expect(calls[0]).toBe("growfs -y");
    expect(said).toContain("left the root file system as it is");
    expect(status).toBe(0);
  });

  it("forgets what an image assigned of its CPUs", async () => {
    metadata(NOTES_ARGUMENTS);
    file("/var/lib/kubelet/cpu_manager_state", "{}");
    await run();
    expect(existsSync(join(folder, "/var/lib/kubelet/cpu_manager_state"))).toBe(false);
  });

  it("tries again what fails at first: its identity may not be there yet", async () => {
    metadata(`${NOTES_ARGUMENTS}[ "$(grep -c oke-init "$NODE_ROOT/log")" -ge 3 ]\n`);
    const { status, calls } = await run();
    expect(calls.filter((call) => call.startsWith("oke-init"))).toHaveLength(3);
    expect(status).toBe(0);
  });

  it.each([
    ["the metadata service does not answer", () => program("curl", "exit 22"), "has no start-up script"],
    ["the metadata service answers with nothing", () => program("curl"), "has no start-up script"],
    ["Oracle's script fails every time", () => metadata("exit 7\n"), "start-up script failed"],
  ])("does not join where %s", async (_, prepare, said) => {
    prepare();
    const outcome = await run();
    expect(outcome.status).toBe(1);
    expect(outcome.said).toContain(said);
    expect(outcome.calls.filter((call) => call.startsWith("oke-init"))).toEqual([]);
  });
});

describe("a machine with Ubuntu", () => {
  beforeEach(() => os("ubuntu", "noble"));

  it("bootstraps with the program that its image brings, and leaves the network plugin's routes alone", async () => {
    program("oke");
    const { status, calls } = await run();
    expect(calls).toEqual([
      "systemctl try-restart systemd-networkd.service",
      `oke bootstrap --kubelet-extra-args ${ARGUMENTS}`,
    ]);
    expect(readFileSync(join(folder, "/etc/systemd/networkd.conf.d/90-oke.conf"), "utf8")).toContain(
      "ManageForeignRoutes=no",
    );
    expect(status).toBe(0);
  });

  it("installs the packages that lie in its image, and asks no other source for them", async () => {
    file("/opt/oke-node-client-packages/ubuntu-noble/kubernetes-1.34/dists/stable", "");
    program("apt-get", 'case "$*" in *install*) cp "$NODE_ROOT/bin/sleep" "$NODE_ROOT/bin/oke";; esac');
    const { status, calls } = await run();
    const [update, install] = calls.filter((call) => call.startsWith("apt-get"));
    expect(update).toContain("Dir::Etc::sourceparts=-");
    expect(install?.endsWith("install oci-oke-node-all-1.34.2")).toBe(true);
    expect(readFileSync(join(folder, "/etc/apt/sources.list.d/oke-node-client.list"), "utf8")).toBe(
      "deb [trusted=yes] file:///opt/oke-node-client-packages/ubuntu-noble/kubernetes-1.34 stable main\n",
    );
    expect(status).toBe(0);
  });

  it("does not join from an image that brings neither, and downloads nothing", async () => {
    program("curl");
    program("apt-get");
    const { status, calls, said } = await run();
    expect(status).toBe(1);
    expect(said).toContain("take an Ubuntu image of Oracle's for OKE");
    expect(calls).toEqual(["systemctl try-restart systemd-networkd.service"]);
  });
});

describe("a machine that OKE did not make", () => {
  const CERTIFICATE = "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n";
  const AUTHORITY = Buffer.from(CERTIFICATE).toString("base64");

  beforeEach(() => {
    file("/etc/oke/oke-apiserver", "10.0.0.2");
    file("/etc/kubernetes/ca.crt", CERTIFICATE);
    program("curl", "exit 22");
  });

  it("with Ubuntu tells the program of its image where its cluster is, and whose certificate it has", async () => {
    os("ubuntu", "noble");
    program("oke");
    const { status, calls } = await run();
    expect(calls.at(-1)).toBe(
      `oke bootstrap --apiserver-host 10.0.0.2 --ca ${AUTHORITY} --kubelet-extra-args ${ARGUMENTS}`,
    );
    expect(status).toBe(0);
  });

  it("with Oracle Linux runs what its image brings, and asks nobody for a start-up script", async () => {
    file("/etc/oke/oke-install.sh", 'echo "oke-install $*" >>"$NODE_ROOT/log"\n');
    const { status, calls } = await run();
    expect(calls).toEqual([
      `oke-install --apiserver-endpoint 10.0.0.2 --kubelet-ca-cert ${AUTHORITY} --kubelet-extra-args ${ARGUMENTS}`,
    ]);
    expect(status).toBe(0);
  });

  it("tries until its policy holds everywhere, and no longer", async () => {
    file("/etc/oke/oke-install.sh", 'echo "oke-install" >>"$NODE_ROOT/log"\nexit 1\n');
    const { status, calls, said } = await run();
    expect([status, calls.length]).toEqual([1, 3]);
    expect(said).toContain("oke-install.sh failed");
  });

  it("does not join from an image without Oracle's program", async () => {
    const { status, calls, said } = await run();
    expect([status, calls]).toEqual([1, []]);
    expect(said).toContain("take an image of Oracle's for OKE");
  });

  it.each([
    ["ubuntu", "noble"],
    ["ol", ""],
  ])("does not join a cluster whose certificate it was not given (%s)", async (id, codename) => {
    os(id, codename);
    program("oke");
    file("/etc/kubernetes/ca.crt", "");
    const { status, calls, said } = await run();
    expect([status, calls.filter((call) => call.startsWith("oke "))]).toEqual([1, []]);
    expect(said).toContain("no certificate of the cluster");
  });
});

describe("any machine", () => {
  it("lets pods pin memory only where its pool has RDMA", async () => {
    program("oke");
    const conf = join(folder, "/etc/crio/crio.conf.d/90-memlock.conf");
    await run();
    expect(existsSync(conf)).toBe(false);
    await run("unlimited");
    expect(readFileSync(conf, "utf8")).toContain("memlock=-1:-1");
  });

  it("is left as it is once it is a node", async () => {
    program("oke");
    program("systemctl");
    file("/var/lib/kubelet/cpu_manager_state", "{}");
    const { status, calls } = await run();
    expect([status, calls]).toEqual([0, []]);
    expect(existsSync(join(folder, "/var/lib/kubelet/cpu_manager_state"))).toBe(true);
  });

  it("does not join with another system, or without the kubelet's arguments", async () => {
    os("debian", "trixie");
    expect(await run()).toMatchObject({ status: 1, said: expect.stringContaining("neither Oracle Linux nor Ubuntu") });
    rmSync(join(folder, "kubelet-arguments"));
    expect(await run()).toMatchObject({ status: 1, said: expect.stringContaining("there is no file") });
  });
});
