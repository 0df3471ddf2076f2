import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Machine, SHELLS, type Shell } from "./machine";
import { installation, offer, playedRelease, playK3s } from "./played-k3s";

type Verb = "install" | "uninstall";

/** A run that is killed at a share, from 0 to 1, of the programs that a whole run of its verb calls. */
interface Killed {
  readonly verb: Verb;
  readonly at: number;
}

const TIMEOUT_MS = 240_000;
const RELEASE = playedRelease();
const INPUT = installation(RELEASE);
/** Something of others at the place of a file, so that there is what must come back. */
const FOREIGN = { path: "/etc/sysctl.d/90-kubelet.conf", text: "vm.overcommit_memory=2\n" } as const;

let machine: Machine;
beforeEach(() => {
  machine = new Machine();
  playK3s(machine);
  offer(machine, RELEASE);
  machine.write(FOREIGN.path, FOREIGN.text);
});
afterEach(() => machine.remove());

/** All that stays on the machine, and what its kernel has. */
const whole = () => ({
  ...machine.tree(),
  kernel: readFileSync(machine.note("kernel"), "utf8").trim().split("\n").sort().join(" "),
});

/** What runs that nobody kills leave, and of how many programs they are. */
async function references(shell: Shell) {
  const before = whole();
  const { printed } = await machine.run("k3s", "install", INPUT, { shell });
  const install = { left: whole(), printed, programs: machine.steps };
  await machine.run("k3s", "uninstall", INPUT, { shell });
  const uninstall = { left: whole(), printed: "", programs: machine.steps };
  expect(uninstall.left).toEqual(before);
  return { install, uninstall };
}

describe.each(SHELLS)("what is killed, in %s", (shell) => {
  async function ends(kills: readonly Killed[], verb: Verb, reference: Awaited<ReturnType<typeof references>>) {
    const statuses: number[] = [];
    for (const { verb: killed, at } of kills) {
      const killAt = 1 + Math.floor(at * (reference[killed].programs - 1));
      statuses.push((await machine.run("k3s", killed, INPUT, { shell, killAt })).status);
    }
    const { status, printed, said } = await machine.run("k3s", verb, INPUT, { shell });
    expect({ status, printed, left: whole() }, said).toEqual({
      status: 0,
      printed: reference[verb].printed,
      left: reference[verb].left,
    });
    return statuses;
  }

  it("is taken up by the next run, wherever that was, and ends as if nobody had", { timeout: TIMEOUT_MS }, async () => {
    const reference = await references(shell);
    // One in each of five parts of the work, one after the other on the same machine.
    const parts = fc.tuple(
      ...[0, 1, 2, 3, 4].map((part) => fc.double({ min: part / 5, max: (part + 1) / 5, noNaN: true })),
    );
    const killed = (verb: Verb) => parts.map((shares) => shares.map((at) => ({ verb, at })));
    await fc.assert(
      fc.asyncProperty(killed("install"), killed("uninstall"), async (installs, uninstalls) => {
        // One that is taken up has less to do: the last of them may reach the end.
        expect((await ends(installs, "install", reference)).slice(0, 3)).toEqual([-1, -1, -1]);
        expect((await ends(uninstalls, "uninstall", reference)).slice(0, 2)).toEqual([-1, -1]);
      }),
      { numRuns: 1, endOnFailure: true },
    );
  });

  it("may be ended, or begun, by the other verb too", { timeout: TIMEOUT_MS }, async () => {
    const reference = await references(shell);
    const verb = fc.constantFrom<Verb>("install", "uninstall");
    const kills = fc.array(fc.record({ verb, at: fc.double({ min: 0, max: 1, noNaN: true }) }), {
      minLength: 1,
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(kills, verb, async (sequence, last) => {
        await ends(sequence, last, reference);
      }),
      { numRuns: 2, endOnFailure: true },
    );
  });
});
