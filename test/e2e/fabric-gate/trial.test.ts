/** The trial's script as a process, with stand-ins for ssh and mpirun that play recorded outputs. */
import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Expected, verdictOf } from "../../../components/gpu/scripts/verdict.ts";
import { repositoryRoot } from "../../../names/repository-root";

const GIB = 2 ** 30;
const script = join(repositoryRoot(), "components/gpu/scripts/trial.sh");
const a100: Expected = { smallestBytes: GIB, largestBytes: 8 * GIB, minBusGBps: 166 };
const h100: Expected = { ...a100, minBusGBps: 396 };
const good = recorded("two-a100-nodes");

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "trial-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function recorded(name: string): string {
  return readFileSync(join(repositoryRoot(), `test/fixtures/nccl-tests/${name}.txt`), "utf8");
}

function standIn(name: string, lines: string): void {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/bash\n${lines}\n`);
  chmodSync(file, 0o755);
}

/** Runs the first pod's part. @returns its exit status, what the kubelet would show, and what its log has. */
function trial(mpirun: string, settings: Record<string, string> = {}) {
  standIn("mpirun", mpirun);
  const message = join(folder, "message");
  const env = {
    PATH: `${folder}:${process.env.PATH}`,
    HOME: folder,
    TMPDIR: folder,
    JOB_COMPLETION_INDEX: "0",
    POD_IP: "10.0.0.1",
    TRIAL_GPUS: "8",
    TRIAL_PEER: "localhost",
    TRIAL_SECONDS: "20",
    TRIAL_PATIENCE: "20",
    TRIAL_BINARY: "all_reduce_perf",
    TRIAL_SMALLEST: "1G",
    TRIAL_LARGEST: "8G",
    TRIAL_INTERFACE: "eth0",
    TRIAL_VARIABLES: "NCCL_IB_HCA NCCL_NET",
    TRIAL_MESSAGE: message,
    ...settings,
  };
  return new Promise<{ status: number; message: string; log: string }>((resolve) => {
    execFile("/bin/bash", [script], { env }, (error, log) => {
      const status = error ? Number(error.code) : 0;
      resolve({ status, message: readFileSync(message, "utf8"), log });
    });
  });
}

function plays(output: string, end = "exit 0"): string {
  writeFileSync(join(folder, "recorded"), output);
  return `cat ${join(folder, "recorded")}\n${end}`;
}

describe("a trial", () => {
  beforeEach(() => standIn("ssh", "exit 0"));

  it("that is good says so, with the rows and the summary in what the kubelet keeps of it", async () => {
    const { status, message, log } = await trial(plays(good));
    expect(status).toBe(0);
    expect(message.length).toBeLessThan(4096);
    expect(message).toContain("# Out of bounds values : 0 OK");
    expect(log).toContain("NVIDIA A100-SXM4-40GB");
    expect(verdictOf(message, a100)).toEqual({
      kind: "good",
      busGBps: 187.5,
      reason: "187.5 GB/s bus bandwidth, at least 166 is asked for",
    });
  });

  it("starts the test on both nodes, with the variables of all processes", async () => {
    const { log } = await trial(`printf '%s\\n' "$*"`, { TRIAL_PEER: "127.0.0.1" });
    expect(log.split("\n")[0]).toBe(
      "-np 16 -npernode 8 --bind-to numa --host 10.0.0.1:8,127.0.0.1:8 " +
        "-mca coll ^hcoll -mca oob_tcp_if_include eth0 -mca btl_tcp_if_include eth0 " +
        "-x UCX_TLS=tcp,self,sm -x UCX_NET_DEVICES=eth0 -x NCCL_IB_HCA -x NCCL_NET " +
        "all_reduce_perf -b 1G -e 8G -f 2 -g 1 -n 20 -c 1",
    );
  });

  it("that is slow says so", async () => {
    const { status, message } = await trial(plays(recorded("two-h100-nodes-slow")));
    expect(status).toBe(0);
    // The row of half a GiB does not count.
    expect(verdictOf(message, h100)).toEqual({
      kind: "slow",
      busGBps: 195.8,
      reason: "195.8 GB/s bus bandwidth, at least 396 is asked for",
    });
  });

  it("with wrong results is wrong, however fast it was", async () => {
    const wrong = good
      .replace("189.50       0", "189.50       3")
      .replace("Out of bounds values : 0 OK", "Out of bounds values : 3 FAILED");
    const { status, message } = await trial(plays(wrong, "exit 1"));
    expect(status).toBe(1);
    expect(verdictOf(message, a100)).toMatchObject({ kind: "wrong", reason: expect.stringContaining("3 elements") });
  });

  it("with a bandwidth that is no number measured nothing", async () => {
    for (const nothing of ["nan", "-nan", "inf"]) {
      const { message } = await trial(plays(good.replace("189.60", nothing)));
      expect(verdictOf(message, a100), nothing).toMatchObject({ kind: "not-a-number" });
    }
  });

  it("whose output is cut is no result, wherever it is cut", async () => {
    for (const end of ["8589934592", "   2147483648     float     sum      -1  84948.7", "# Out of bounds"]) {
      const { message } = await trial(plays(good.slice(0, good.indexOf(end))));
      expect(verdictOf(message, a100), end).toMatchObject({ kind: "cut" });
    }
  });

  it("that hangs is stopped at its deadline, though a process of it goes on", async () => {
    const { status, message } = await trial(`${plays(good.slice(0, 1500), "")}\nsetsid sleep 8 &\nexec sleep 60`, {
      TRIAL_SECONDS: "1",
    });
    expect(status).toBe(124);
    expect(verdictOf(message, a100)).toEqual({
      kind: "hang",
      reason: expect.stringMatching(/^it did not end within [1-9] s and was stopped$/),
    });
  });

  it("that fails says with which words", async () => {
    const { status, message } = await trial("echo 'node-1: Test NCCL failure common.cu:1000'\nexit 3");
    expect(status).toBe(3);
    expect(verdictOf(message, a100)).toEqual({
      kind: "failed",
      reason: "it ended with status 3: node-1: Test NCCL failure common.cu:1000",
    });
  });

  it("fails where the second pod does not answer in time", async () => {
    standIn("ssh", "echo 'connect to host peer port 2222: Connection refused' >&2\nexit 255");
    const { status, message } = await trial("exit 0", { TRIAL_PATIENCE: "1" });
    expect(status).toBe(69);
    expect(verdictOf(message, a100)).toEqual({
      kind: "failed",
      reason: "it ended with status 69: localhost does not answer: connect to host peer port 2222: Connection refused",
    });
  });
});
