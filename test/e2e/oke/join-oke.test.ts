import { rmSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bootFilePath } from "../../../components/cluster/oke/cloud-init/boot-part";
import { NodeRoot, type ScriptOutcome } from "./node-root";

let root: NodeRoot;
beforeEach(() => {
  root = new NodeRoot();
  root.program("systemctl", '[ "$1" != is-active ]');
  root.program("sleep");
  os("ol", "");
  root.write("/var/run/.keep", "");
  root.write("/etc/apt/sources.list.d/.keep", "");
  root.write(
    "/kubelet-arguments",
    "--register-with-taints=a=b:NoSchedule,c=d:NoSchedule\n--cpu-manager-policy=static\n",
  );
});
afterEach(() => root.remove());

const ARGUMENTS = "--register-with-taints=a=b:NoSchedule,c=d:NoSchedule --cpu-manager-policy=static";

function os(id: string, codename: string): void {
  root.write("/etc/os-release", `NAME="Some Linux"\nID="${id}"\nVERSION_CODENAME=${codename}\n`);
}

/** The metadata service answers with a start-up script that notes its arguments. */
function metadata(startUp: string): void {
  root.program("curl", `printf %s '${Buffer.from(startUp).toString("base64")}'`);
}

const NOTES_ARGUMENTS = 'echo "oke-init $*" >>"$NODE_ROOT/log"\n';

/** Calls are those of the script, but for waiting. */
async function run(...more: string[]): Promise<ScriptOutcome> {
  const outcome = await root.run(bootFilePath("join-oke.sh"), [root.path("kubelet-arguments"), "v1.34.2", ...more], {
    PATH: `${root.path("bin")}:/usr/bin:/bin`,
    JOIN_ATTEMPTS: "3",
    JOIN_PAUSE_SECONDS: "0",
  });
  const calls = outcome.calls.filter((call) => call !== "" && !call.startsWith("sleep") && !call.includes("is-active"));
  return { ...outcome, calls };
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
    root.write("/usr/libexec/oci-growfs", '#!/bin/sh\necho "growfs $*" >>"$NODE_ROOT/log"\nexit 1\n', 0o755);
    const { status, calls, said } = await run();
    expect(calls[0]).toBe("growfs -y");
    expect(said).toContain("left the root file system as it is");
    expect(status).toBe(0);
  });

  it("forgets what an image assigned of its CPUs", async () => {
    metadata(NOTES_ARGUMENTS);
    root.write("/var/lib/kubelet/cpu_manager_state", "{}");
    await run();
    expect(root.has("/var/lib/kubelet/cpu_manager_state")).toBe(false);
  });

  it("tries again what fails at first: its identity may not be there yet", async () => {
    metadata(`${NOTES_ARGUMENTS}[ "$(grep -c oke-init "$NODE_ROOT/log")" -ge 3 ]\n`);
    const { status, calls } = await run();
    expect(calls.filter((call) => call.startsWith("oke-init"))).toHaveLength(3);
    expect(status).toBe(0);
  });

  it.each([
    ["the metadata service does not answer", () => root.program("curl", "exit 22"), "has no start-up script"],
    ["the metadata service answers with nothing", () => root.program("curl"), "has no start-up script"],
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
    root.program("oke");
    const { status, calls } = await run();
    expect(calls).toEqual([
      "systemctl try-restart systemd-networkd.service",
      `oke bootstrap --kubelet-extra-args ${ARGUMENTS}`,
    ]);
    expect(root.read("/etc/systemd/networkd.conf.d/90-oke.conf")).toContain("ManageForeignRoutes=no");
    expect(status).toBe(0);
  });

  it("installs the packages that lie in its image, and asks no other source for them", async () => {
    root.write("/opt/oke-node-client-packages/ubuntu-noble/kubernetes-1.34/dists/stable", "");
    root.program("apt-get", 'case "$*" in *install*) cp "$NODE_ROOT/bin/sleep" "$NODE_ROOT/bin/oke";; esac');
    const { status, calls } = await run();
    const [update, install] = calls.filter((call) => call.startsWith("apt-get"));
    expect(update).toContain("Dir::Etc::sourceparts=-");
    expect(install?.endsWith("install oci-oke-node-all-1.34.2")).toBe(true);
    expect(root.read("/etc/apt/sources.list.d/oke-node-client.list")).toBe(
      "deb [trusted=yes] file:///opt/oke-node-client-packages/ubuntu-noble/kubernetes-1.34 stable main\n",
    );
    expect(status).toBe(0);
  });

  it("does not join from an image that brings neither, and downloads nothing", async () => {
    root.program("curl");
    root.program("apt-get");
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
    root.write("/etc/oke/oke-apiserver", "10.0.0.2");
    root.write("/etc/kubernetes/ca.crt", CERTIFICATE);
    root.program("curl", "exit 22");
  });

  it("with Ubuntu tells the program of its image where its cluster is, and whose certificate it has", async () => {
    os("ubuntu", "noble");
    root.program("oke");
    const { status, calls } = await run();
    expect(calls.at(-1)).toBe(
      `oke bootstrap --apiserver-host 10.0.0.2 --ca ${AUTHORITY} --kubelet-extra-args ${ARGUMENTS}`,
    );
    expect(status).toBe(0);
  });

  it("with Oracle Linux runs what its image brings, and asks nobody for a start-up script", async () => {
    root.write("/etc/oke/oke-install.sh", 'echo "oke-install $*" >>"$NODE_ROOT/log"\n');
    const { status, calls } = await run();
    expect(calls).toEqual([
      `oke-install --apiserver-endpoint 10.0.0.2 --kubelet-ca-cert ${AUTHORITY} --kubelet-extra-args ${ARGUMENTS}`,
    ]);
    expect(status).toBe(0);
  });

  it("tries until its policy holds everywhere, and no longer", async () => {
    root.write("/etc/oke/oke-install.sh", 'echo "oke-install" >>"$NODE_ROOT/log"\nexit 1\n');
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
    root.program("oke");
    root.write("/etc/kubernetes/ca.crt", "");
    const { status, calls, said } = await run();
    expect([status, calls.filter((call) => call.startsWith("oke "))]).toEqual([1, []]);
    expect(said).toContain("no certificate of the cluster");
  });
});

describe("any machine", () => {
  it("lets pods pin memory only where its pool has RDMA", async () => {
    root.program("oke");
    const conf = "/etc/crio/crio.conf.d/90-memlock.conf";
    await run();
    expect(root.has(conf)).toBe(false);
    await run("unlimited");
    expect(root.read(conf)).toContain("memlock=-1:-1");
  });

  it("is left as it is once it is a node", async () => {
    root.program("oke");
    root.program("systemctl");
    root.write("/var/lib/kubelet/cpu_manager_state", "{}");
    const { status, calls } = await run();
    expect([status, calls]).toEqual([0, []]);
    expect(root.has("/var/lib/kubelet/cpu_manager_state")).toBe(true);
  });

  it("does not join with another system, or without the kubelet's arguments", async () => {
    os("debian", "trixie");
    expect(await run()).toMatchObject({ status: 1, said: expect.stringContaining("neither Oracle Linux nor Ubuntu") });
    rmSync(root.path("kubelet-arguments"));
    expect(await run()).toMatchObject({ status: 1, said: expect.stringContaining("there is no file") });
  });
});
