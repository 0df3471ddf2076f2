import { describe, expect, it } from "vitest";
import { sharedBySuite } from "../shared-by-suite";
import { CommandStack } from "./command-stack";
import { Machine } from "./machine/machine";

const PASSWORD = "correct horse";

/** What pulumi-command 1.2.1 does, which ours relies on: facts of its source, seen on the engine and a real SSH server. */
describe("the stand-in of @pulumi/command", () => {
  const machine = sharedBySuite(() => Machine.start({ password: PASSWORD }));
  const shared: { stack?: CommandStack } = {};
  const stack = async (): Promise<CommandStack> => {
    shared.stack ??= await CommandStack.start(machine());
    return shared.stack;
  };
  /** Commands that the machine ran meanwhile. */
  const during = async (work: () => Promise<unknown>): Promise<string[]> => {
    const before = machine().commands().length;
    await work();
    return machine().commands().slice(before);
  };

  it("gives standard input, takes one newline off what is printed, and runs nothing where nothing changed", async () => {
    const args = { create: "cat; echo progress >&2", stdin: "line\n\n", logging: "stderr" } as const;
    const { outputs, log } = await (await stack()).up(args);
    expect(outputs.stdout?.value).toBe("line\n");
    expect(outputs.stderr?.value).toBe("progress");
    expect(log).toContain("progress");
    expect(log).not.toContain("line");
    expect(await during(async () => (await stack()).up(args))).toEqual([]);
  });

  it("runs create again for a change, without deleting; update instead where there is one", async () => {
    const args = { create: "echo made", delete: "echo gone", addPreviousOutputInEnv: false };
    expect(await during(async () => (await stack()).up(args))).toEqual(["echo made"]);
    expect(await during(async () => (await stack()).up({ ...args, stdin: "changed" }))).toEqual(["echo made"]);
    const updated = { ...args, update: "echo changed" };
    expect(await during(async () => (await stack()).up(updated))).toEqual(["echo changed"]);
  });

  it("replaces for a changed trigger although there is an update, and deletes the old one after", async () => {
    const args = { create: "echo made", update: "echo changed", delete: "echo gone", addPreviousOutputInEnv: false };
    await (await stack()).up({ ...args, triggers: [1] });
    expect(await during(async () => (await stack()).up({ ...args, triggers: [2] }))).toEqual([
      "echo made",
      "echo gone",
    ]);
  });

  it("deletes with the command, the input and the connection of the state", async () => {
    await (await stack()).up({ create: "true", delete: "cat >/tmp/deleted", stdin: "of the state" });
    expect(await during(async () => (await stack()).up(undefined))).toEqual(["cat >/tmp/deleted"]);
    expect(machine().read("/tmp/deleted")).toBe("of the state");
  });

  it("tells a command's status, its text and all that it printed; nothing of it is in the state", async () => {
    const create = `echo out; echo "no" >&2; exit 3`;
    expect(await (await stack()).failure({ create })).toContain(
      `Process exited with status 3: running ${JSON.stringify(create)}:\n`,
    );
    expect(await during(async () => (await stack()).up(undefined))).toEqual([]);
  });

  it("refuses another host key before it shows anything, after one more try than its limit says", async () => {
    const other = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGV4YW1wbGUta2V5LW9mLW5vLW1hY2hpbmUtYXQtYWxs";
    const before = machine().sshLog;
    const connection = { hostKey: other, dialErrorLimit: 1 };
    const failure = await (await stack()).failure({ create: "true", connection });
    expect(failure).toContain("after 1 failed attempts: ssh: handshake failed: ssh: host key mismatch");
    const logged = machine().sshLog.slice(before.length);
    expect(logged.match(/Connection from/g)).toHaveLength(2);
    expect(logged).not.toMatch(/Accepted|Failed/);
  });

  it("knows a host key of RSA by its old name alone, which new servers do not have", async () => {
    const [type, key] = RSA.split(" ");
    const connection = { hostKey: `${type} ${key}`, dialErrorLimit: 0 };
    expect(await (await stack()).failure({ create: "true", connection })).toContain(
      "ssh: no common algorithm for host key; we offered: [ssh-rsa], peer offered: [ssh-ed25519",
    );
  });

  it("logs in with a password where there is no key, and says what it tried where that fails", async () => {
    const connection = { privateKey: undefined as unknown as string, password: PASSWORD, dialErrorLimit: 0 };
    expect((await (await stack()).up({ create: "id -un", connection })).outputs.stdout?.value).toBe("ops");
    expect(
      await (await stack()).failure({ create: "id -u", connection: { ...connection, password: "wrong" } }),
    ).toContain(
      "ssh: unable to authenticate, attempted methods [none password keyboard-interactive], no supported methods remain",
    );
  });

  it("does not run a command whose variables the server does not take, and only warns of outputs of before", async () => {
    const environment = { SECRET_OF_OURS: "x" };
    const commands = during(async () => {
      expect(await (await stack()).failure({ create: "echo never", environment })).toContain(
        'could not set environment variable "SECRET_OF_OURS": ssh: setenv failed',
      );
    });
    expect(await commands).toEqual([]);
    const accepted = await (await stack()).up({ create: 'echo "$LC_OURS"', environment: { LC_OURS: "taken" } });
    expect(accepted.outputs.stdout?.value).toBe("taken");
    const { log } = await (await stack()).up({ create: "echo again" });
    expect(log).toContain("Unable to set 'PULUMI_COMMAND_STDOUT'");
  });
});

/** A key of nobody. */
const RSA =
  "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQCqmFZ/+XFH/kjfKbMVphjNHdMFfVyCUZnyUaXtgAwmqIM5fMMoE0B5hnGq5CEZRpJ/KAeM7YxTegk8v/XquAOj4h9e3kt254Cz9d1996jsdK7d+hlLw4sNhyTGe5OHfMnEoP7CZYkMFfUK5+TLKi/i4u8lGtj8xkFL2zZDEGiiyadPgGuTtTFIqG30ITd8xHdAMDqUpSR3+BV9GiGlyVdGGO5tAEa+0k9E3MQq6NEO/ghMXs2gEFny9jp21FUj2zo+bA1NAN2W328CA7U6BfDEPZKO4Lz6x6mMo7eKjWFC8/4b5+BvKQbq80kCY+Yk9gLwoAhNzcUvTfHP5DtiyGeb";
