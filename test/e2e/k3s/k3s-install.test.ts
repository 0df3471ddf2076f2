import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Machine, SHELLS } from "./machine";
import { installation, offer, playedRelease, playK3s } from "./played-k3s";

let machine: Machine;
beforeEach(() => {
  machine = new Machine();
  playK3s(machine);
});
afterEach(() => machine.remove());

describe.each(SHELLS)("in %s", (shell) => {
  it("installs, changes nothing the second time, and leaves nothing", { timeout: 120_000 }, async () => {
    const release = playedRelease();
    offer(machine, release);
    const before = machine.tree();
    const first = await machine.run("k3s", "install", installation(release), { shell });
    expect(first.status).toBe(0);
    const installed = machine.tree();
    const again = await machine.run("k3s", "install", installation(release), { shell });
    expect(machine.calls).toEqual(["systemctl is-enabled --quiet k3s", "systemctl is-active --quiet k3s"]);
    expect(again.printed).toBe(first.printed);
    expect(machine.tree()).toEqual(installed);
    const gone = await machine.run("k3s", "uninstall", installation(release), { shell });
    expect(gone.status).toBe(0);
    expect(machine.tree()).toEqual(before);
  });
});
