import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Machine, SHELLS } from "./machine";
import { installation, offer, playedRelease, playK3s } from "./played-k3s";

const TIMEOUT_MS = 120_000;
const OLD = playedRelease("v1.35.6+k3s1");
const NEW = playedRelease("v1.36.4+k3s1");
const SAVED = "/var/lib/inference-stacks/backups/k3s-v1.35.6+k3s1-before-v1.36.4+k3s1.tar";

let machine: Machine;
beforeEach(() => {
  machine = new Machine();
  playK3s(machine);
  offer(machine, OLD);
  offer(machine, NEW);
});
afterEach(() => machine.remove());

const listed = (archive: string) =>
  execFileSync("tar", ["-tf", machine.path(archive)], { encoding: "utf8" })
    .trim()
    .split("\n")
    .sort();

describe.each(SHELLS)("a later release, in %s", (shell) => {
  it("takes a copy of the datastore while k3s stands still, which stays", { timeout: TIMEOUT_MS }, async () => {
    await machine.run("k3s", "install", installation(OLD), { shell });
    const { status, printed } = await machine.run("k3s", "install", installation(NEW), { shell });
    expect(status).toBe(0);
    expect(JSON.parse(printed).version).toBe("v1.36.4+k3s1");
    const services = machine.calls.filter((call) => /^systemctl (stop|restart)/.test(call));
    expect(services).toEqual(["systemctl stop k3s", "systemctl restart --no-block k3s"]);
    expect(machine.read("/usr/local/bin/k3s")).toBe(NEW.binary);
    const content = listed(SAVED);
    expect(content).toContain("server/db/state.db");
    expect(content.filter((path) => path.startsWith("server/logs"))).toEqual([]);
    // It holds the keys to Secrets.
    expect(machine.tree()[SAVED]).toMatch(/^file 600 /);
    const gone = await machine.run("k3s", "uninstall", installation(NEW), { shell });
    expect(gone.said).toContain("copies of the datastore stay on workstation, with the keys to its Secrets");
    expect(gone.said).toContain(SAVED.split("/").at(-1));
    expect(listed(SAVED)).toEqual(content);
  });

  it("that was killed copies what was there before it, not less", { timeout: TIMEOUT_MS }, async () => {
    await machine.run("k3s", "install", installation(OLD), { shell });
    const copying = `case "$*" in *-before-*) kill -9 0 ;; esac; exec /usr/bin/tar "$@"`;
    machine.program("tar", copying);
    expect((await machine.run("k3s", "install", installation(NEW), { shell })).status).toBe(-1);
    expect(machine.has(SAVED)).toBe(false);
    machine.program("tar", `exec /usr/bin/tar "$@"`);
    expect((await machine.run("k3s", "install", installation(NEW), { shell })).status).toBe(0);
    expect(listed(SAVED)).toContain("server/db/state.db");
  });
});

describe("a release that must not follow", () => {
  it.each([
    ["v1.36.4+k3s1", "v1.36.3+k3s1", "its k3s is v1.36.4+k3s1, newer than the pinned v1.36.3+k3s1"],
    ["v1.36.4+k3s2", "v1.36.4+k3s1", "its k3s is v1.36.4+k3s2, newer than the pinned v1.36.4+k3s1"],
    ["v1.36.10+k3s1", "v1.36.9+k3s1", "its k3s is v1.36.10+k3s1, newer than the pinned v1.36.9+k3s1"],
    ["v1.34.9+k3s1", "v1.36.4+k3s1", "the pinned v1.36.4+k3s1 is more than one minor version later"],
  ])("%s by %s is refused, and nothing is written", { timeout: TIMEOUT_MS }, async (there, pinned, says) => {
    offer(machine, playedRelease(there));
    offer(machine, playedRelease(pinned));
    await machine.run("k3s", "install", installation(playedRelease(there)));
    const before = machine.tree();
    const { status, said } = await machine.run("k3s", "install", installation(playedRelease(pinned)));
    expect(status).toBe(1);
    expect(said).toContain("workstation was left alone: ");
    expect(said).toContain(says);
    expect(machine.tree()).toEqual(before);
  });
});
