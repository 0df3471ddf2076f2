/** What the kernel knows of a node's Envoy. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { RealNode } from "./real-node";

/** State of a listening socket (net/tcp_states.h). */
const LISTENS = "0A";

/** @throws Error when it does not run. */
export function envoyOf({ process: { folder } }: RealNode): string {
  const pid = readdirSync("/proc").find(
    (each) => /^\d+$/.test(each) && commandOf(each).some((word) => word.startsWith(folder)),
  );
  if (pid === undefined) {
    throw new Error(`no process has a configuration in ${folder}`);
  }
  return pid;
}

/** Memory that a container's limit counts, and that cannot be taken back from it. */
export interface HeldBytes {
  /** Its own, without the pages of its program. */
  readonly resident: number;
  /** What waits in the kernel's queues of its connections. */
  readonly queued: number;
}

export function heldBytes(pid: string): HeldBytes {
  const [, kilobytes = "0"] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  const queued = socketsOf(pid).reduce((sum, socket) => sum + socket.queued, 0);
  return { resident: Number(kilobytes) * 1024, queued };
}

/** TCP ports that it listens on. */
export function listeningPorts(pid: string): number[] {
  return [...new Set(socketsOf(pid).flatMap(({ port, state }) => (state === LISTENS ? [port] : [])))];
}

function socketsOf(pid: string): { readonly port: number; readonly state: string; readonly queued: number }[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).map((fd) => /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`))?.[1]),
  );
  const rows = ["tcp", "tcp6"].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, "utf8").trim().split("\n").slice(1),
  );
  return rows.flatMap((row) => {
    // Columns: number, local and remote address, state, both queues, …, inode (proc_net_tcp); numbers are hexadecimal.
    const [, local = "", , state = "", queues = "", , , , , inode] = row.trim().split(/\s+/);
    if (!inodes.has(inode)) {
      return [];
    }
    const [sent = 0, received = 0] = queues.split(":").map((text) => Number.parseInt(text, 16));
    const port = Number.parseInt(local.split(":")[1] ?? "", 16);
    // The queue of what is received counts connections where it listens.
    return [{ port, state, queued: state === LISTENS ? 0 : sent + received }];
  });
}

function commandOf(pid: string): string[] {
  try {
    const [program = "", ...words] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return program.endsWith("envoy") ? words : [];
  } catch {
    // It ended meanwhile.
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
