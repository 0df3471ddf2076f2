import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Kernel's unit of CPU time, per second (USER_HZ of Linux on x86-64 and ARM64). */
const TICKS_PER_SECOND = 100;

/** Characters of a program's name that the kernel keeps (TASK_COMM_LEN without the end). */
const NAME_LENGTH = 15;

/** A running program of a pod. */
export interface Measured {
  /** User and system time until now, seconds. */
  cpuSeconds(): number;
  /** Resident memory, bytes; NaN of a program that has ended. */
  residentBytes(): number;
}

/**
 * The one process with this name in a network namespace.
 *
 * @param member any process in it
 * @throws Error when there is none, or more than one.
 */
export function processIn(member: string, name: string): Measured {
  const namespace = readlinkSync(`/proc/${member}/ns/net`);
  const [pid, ...others] = readdirSync("/proc").filter(
    (each) => /^\d+$/.test(each) && nameOf(each) === name.slice(0, NAME_LENGTH) && namespaceOf(each) === namespace,
  );
  if (pid === undefined || others.length > 0) {
    throw new Error(
      `${others.length + (pid === undefined ? 0 : 1)} processes "${name}" in the pod of process ${member}`,
    );
  }
  return {
    cpuSeconds: () => {
      // Behind the name, which is in parentheses: fields 14 and 15 are user and system time (proc_pid_stat(5)).
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ");
      return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
    },
    residentBytes: () => {
      const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
      return Number(kilobytes) * 1024;
    },
  };
}

function nameOf(pid: string): string | undefined {
  return quietly(() => readFileSync(`/proc/${pid}/comm`, "utf8").trim());
}

function namespaceOf(pid: string): string | undefined {
  return quietly(() => readlinkSync(`/proc/${pid}/ns/net`));
}

/** Processes end while one looks at them. */
function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
