import { linkSync, lstatSync, rmSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Machine, SHELLS } from "./machine";
import { installation, playedRelease, playK3s, sha256 } from "./played-k3s";

const TIMEOUT_MS = 120_000;
const RELEASE = playedRelease();
const BUNDLE = "/srv/bundle";
const IMAGES = "/var/lib/rancher/k3s/agent/images";
const OWN_IMAGES = "k3s-airgap-images-amd64.tar.zst";
const RESTART = "systemctl restart --no-block k3s";
const GATEWAY = "images of the gateway";
const CONTROL = "images of the control";

/** What the machine is told of a bundle with these archives. */
const told = (archives: Readonly<Record<string, string>>, bundle = BUNDLE) =>
  installation(RELEASE, {
    BUNDLE: bundle,
    BUNDLE_ARCHIVES: Object.entries(archives)
      .map(([name, content]) => `${sha256(content)} ${name}`)
      .join("\n"),
  });
const INPUT = told({ "gateway.tar": GATEWAY });

let machine: Machine;
beforeEach(() => {
  machine = new Machine();
  playK3s(machine);
  machine.write(`${BUNDLE}/k3s/k3s`, RELEASE.binary);
  machine.write(`${BUNDLE}/k3s/install.sh`, RELEASE.installer);
  machine.write(`${BUNDLE}/k3s/${OWN_IMAGES}`, "images of k3s");
  machine.write(`${BUNDLE}/images/gateway.tar`, GATEWAY);
});
afterEach(() => machine.remove());

const restarts = () => machine.calls.filter((call) => call === RESTART).length;

describe.each(SHELLS)("a bundle, in %s", (shell) => {
  it("is all that is taken: nothing is fetched, and images are where k3s imports them", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const before = machine.tree();
    expect((await machine.run("k3s", "install", INPUT, { shell })).status).toBe(0);
    expect(machine.calls.filter((call) => /^(curl|wget) /.test(call))).toEqual([]);
    expect(machine.read(`${IMAGES}/${OWN_IMAGES}`)).toBe("images of k3s");
    expect(machine.read(`${IMAGES}/gateway.tar`)).toBe(GATEWAY);
    expect(machine.has(`${BUNDLE}/k3s/k3s`)).toBe(true);
    await machine.run("k3s", "install", INPUT, { shell });
    expect(restarts()).toBe(0);
    machine.write(`${BUNDLE}/images/model-control.tar`, CONTROL);
    rmSync(machine.path(`${BUNDLE}/images/gateway.tar`));
    expect((await machine.run("k3s", "install", told({ "model-control.tar": CONTROL }), { shell })).status).toBe(0);
    expect(restarts()).toBe(1);
    expect([machine.has(`${IMAGES}/gateway.tar`), machine.has(`${IMAGES}/model-control.tar`)]).toEqual([false, true]);
    rmSync(machine.path(`${BUNDLE}/images/model-control.tar`));
    machine.write(`${BUNDLE}/images/gateway.tar`, GATEWAY);
    expect((await machine.run("k3s", "uninstall", INPUT, { shell })).status).toBe(0);
    expect(machine.tree()).toEqual(before);
  });
});

describe("a bundle that is not whole", () => {
  it.each([
    ["k3s", "k3s/k3s"],
    ["its installer", "k3s/install.sh"],
    ["its images", `k3s/${OWN_IMAGES}`],
  ])("is refused by the file: %s", { timeout: TIMEOUT_MS }, async (_, file) => {
    machine.write(`${BUNDLE}/${file}`, "half of it");
    const { status, said } = await machine.run("k3s", "install", INPUT);
    expect(status).toBe(1);
    expect(said).toContain(
      `${BUNDLE}/${file} on the machine workstation is not there, or not the pinned file (sha256 `,
    );
    expect(restarts()).toBe(0);
  });
});

describe("archives of a bundle", () => {
  it.each(SHELLS)("are taken as the list has them alone, in %s", { timeout: TIMEOUT_MS }, async (shell) => {
    machine.write(`${BUNDLE}/images/gateway.tar`, "images of somebody else");
    const changed = await machine.run("k3s", "install", INPUT, { shell });
    expect([changed.status, machine.has(`${IMAGES}/gateway.tar`)]).toEqual([1, false]);
    expect(changed.said).toContain(`${BUNDLE}/images/gateway.tar on the machine workstation is not there, or not the`);
    machine.write(`${BUNDLE}/images/gateway.tar`, GATEWAY);
    machine.write(`${BUNDLE}/images/unlisted-evil.tar`, "images of somebody else");
    const unlisted = await machine.run("k3s", "install", INPUT, { shell });
    expect([unlisted.status, machine.has(`${IMAGES}/unlisted-evil.tar`)]).toEqual([1, false]);
    expect(unlisted.said).toContain(`${BUNDLE}/images/unlisted-evil.tar on the machine workstation is not in the list`);
    expect(restarts()).toBe(0);
    rmSync(machine.path(`${BUNDLE}/images/unlisted-evil.tar`));
    expect((await machine.run("k3s", "install", INPUT, { shell })).status).toBe(0);
    expect(machine.read(`${IMAGES}/gateway.tar`)).toBe(GATEWAY);
  });

  it("are copies of root's own, also where an earlier version gave them a second name", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const onTheSameDisk = "/var/lib/bundle";
    for (const file of ["k3s/k3s", "k3s/install.sh", `k3s/${OWN_IMAGES}`, "images/gateway.tar"]) {
      machine.write(`${onTheSameDisk}/${file}`, machine.read(`${BUNDLE}/${file}`));
    }
    const install = () => machine.run("k3s", "install", told({ "gateway.tar": GATEWAY }, onTheSameDisk));
    expect((await install()).status).toBe(0);
    rmSync(machine.path(`${IMAGES}/gateway.tar`));
    linkSync(machine.path(`${onTheSameDisk}/images/gateway.tar`), machine.path(`${IMAGES}/gateway.tar`));
    expect((await install()).status).toBe(0);
    const { nlink, ino } = lstatSync(machine.path(`${IMAGES}/gateway.tar`));
    expect([nlink, ino === lstatSync(machine.path(`${onTheSameDisk}/images/gateway.tar`)).ino]).toEqual([1, false]);
  });
});
