import { lstatSync, rmSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Machine, SHELLS } from "./machine";
import { installation, playedRelease, playK3s } from "./played-k3s";

const TIMEOUT_MS = 120_000;
const RELEASE = playedRelease();
const BUNDLE = "/srv/bundle";
const IMAGES = "/var/lib/rancher/k3s/agent/images";
const OWN_IMAGES = "k3s-airgap-images-amd64.tar.zst";
const RESTART = "systemctl restart --no-block k3s";
const INPUT = installation(RELEASE, { BUNDLE });

let machine: Machine;
beforeEach(() => {
  machine = new Machine();
  playK3s(machine);
  machine.write(`${BUNDLE}/k3s/k3s`, RELEASE.binary);
  machine.write(`${BUNDLE}/k3s/install.sh`, RELEASE.installer);
  machine.write(`${BUNDLE}/k3s/${OWN_IMAGES}`, "images of k3s");
  machine.write(`${BUNDLE}/images/gateway.tar`, "images of the gateway");
});
afterEach(() => machine.remove());

const inode = (path: string) => lstatSync(machine.path(path)).ino;
const restarts = () => machine.calls.filter((call) => call === RESTART).length;

describe.each(SHELLS)("a bundle, in %s", (shell) => {
  it("is all that is taken: nothing is fetched, and images are where k3s imports them", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const before = machine.tree();
    expect((await machine.run("k3s", "install", INPUT, { shell })).status).toBe(0);
    expect(machine.calls.filter((call) => /^(curl|wget) /.test(call))).toEqual([]);
    expect(machine.read(`${IMAGES}/${OWN_IMAGES}`)).toBe("images of k3s");
    expect(machine.read(`${IMAGES}/gateway.tar`)).toBe("images of the gateway");
    expect(machine.has(`${BUNDLE}/k3s/k3s`)).toBe(true);
    await machine.run("k3s", "install", INPUT, { shell });
    expect(restarts()).toBe(0);
    machine.write(`${BUNDLE}/images/model-control.tar`, "images of the control");
    rmSync(machine.path(`${BUNDLE}/images/gateway.tar`));
    expect((await machine.run("k3s", "install", INPUT, { shell })).status).toBe(0);
    expect(restarts()).toBe(1);
    expect([machine.has(`${IMAGES}/gateway.tar`), machine.has(`${IMAGES}/model-control.tar`)]).toEqual([false, true]);
    rmSync(machine.path(`${BUNDLE}/images/model-control.tar`));
    machine.write(`${BUNDLE}/images/gateway.tar`, "images of the gateway");
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

describe("images of a bundle", () => {
  it("take no room a second time on the same disk", { timeout: TIMEOUT_MS }, async () => {
    // /srv and /var/lib are mounts of their own here, between which nothing has a second name: the copy must do.
    await machine.run("k3s", "install", INPUT);
    expect(inode(`${IMAGES}/gateway.tar`)).not.toBe(inode(`${BUNDLE}/images/gateway.tar`));
    expect(lstatSync(machine.path(`${IMAGES}/gateway.tar`)).mtimeMs).toBe(
      lstatSync(machine.path(`${BUNDLE}/images/gateway.tar`)).mtimeMs,
    );
    const onTheSameDisk = "/var/lib/bundle";
    machine.write(`${onTheSameDisk}/k3s/${OWN_IMAGES}`, "images of k3s");
    machine.write(`${onTheSameDisk}/images/other.tar`, "other images");
    expect((await machine.run("k3s", "install", installation(RELEASE, { BUNDLE: onTheSameDisk }))).status).toBe(0);
    expect(inode(`${IMAGES}/other.tar`)).toBe(inode(`${onTheSameDisk}/images/other.tar`));
  });
});
