/** The part of a kubelet that judges one container: its rendered liveness probe, and the grace that goes with it. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "../../rehearsal/cluster/wait";
import type { Container } from "../components/serving/fixture";

/** A liveness probe, as it is rendered. */
export interface LivenessProbe {
  readonly httpGet?: { readonly path: string; readonly port?: string | number };
  readonly exec?: { readonly command: readonly string[] };
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly failureThreshold: number;
  readonly terminationGracePeriodSeconds: number;
}

export function liveness({ livenessProbe }: Pick<Container, string>): LivenessProbe {
  return livenessProbe as LivenessProbe;
}

/** One probe by HTTP. @param url of the server. */
export function asked({ httpGet, timeoutSeconds }: LivenessProbe, url: string): () => Promise<boolean> {
  return async () => {
    const signal = AbortSignal.timeout(timeoutSeconds * 1000);
    const answer = await fetch(`${url}${httpGet?.path}`, { signal }).catch(() => undefined);
    return answer?.ok ?? false;
  };
}

/**
 * Probes as often as a kubelet until it would end the container.
 *
 * @param passes one probe.
 * @returns seconds until then; undefined where it would not within `seconds`.
 */
export async function condemnedAfter(
  probe: Pick<LivenessProbe, "periodSeconds" | "failureThreshold">,
  passes: () => Promise<boolean>,
  seconds: number,
): Promise<number | undefined> {
  const start = Date.now();
  const passed = () => (Date.now() - start) / 1000;
  for (let failures = 0; passed() < seconds; ) {
    const next = sleep(probe.periodSeconds * 1000);
    failures = (await passes()) ? 0 : failures + 1;
    if (failures === probe.failureThreshold) {
      return passed();
    }
    await next;
  }
  return undefined;
}

/** Ends a process as a kubelet ends what the probe has condemned. @returns seconds that it took. */
export async function end(pid: number, { terminationGracePeriodSeconds: grace }: LivenessProbe): Promise<number> {
  const start = Date.now();
  process.kill(pid, "SIGTERM");
  await waitFor("the grace", async () => gone(pid) || Date.now() - start > grace * 1000 || undefined, grace + 5);
  if (!gone(pid)) {
    process.kill(pid, "SIGKILL");
    await waitFor("the end of the process", async () => gone(pid) || undefined, 10);
  }
  return (Date.now() - start) / 1000;
}

interface Wanted {
  /** Parts of its command line, which may be a title that it gave itself. */
  readonly says: readonly string[];
  readonly parent?: number;
  /** A folder in or above which it works. */
  readonly within?: string;
}

/** The newest process of that kind. @throws Error where there is none. */
export function processOf({ says, parent, within }: Wanted): number {
  const found = processes().filter(
    (each) =>
      says.every((text) => each.words.includes(text)) &&
      (parent === undefined || each.parent === parent) &&
      (within === undefined || within.startsWith(`${each.cwd}/`)),
  );
  const last = found.at(-1);
  if (last === undefined) {
    throw new Error(`no process says ${says.join(" and ")}`);
  }
  return last.pid;
}

function gone(pid: number): boolean {
  const stat = read(pid, "stat");
  // A zombie waits for its parent alone.
  return stat === undefined || stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
}

interface Found {
  readonly pid: number;
  readonly parent: number;
  readonly words: string;
  readonly cwd: string;
}

function processes(): Found[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((one, other) => one - other)
    .flatMap((pid) => {
      const [stat, words] = ["stat", "cmdline"].map((file) => read(pid, file));
      // What watches over a program has its command line too.
      if (stat === undefined || words === undefined || words.startsWith("/bin/sh")) {
        return [];
      }
      const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return { pid, parent: Number(parent), words, cwd: link(pid) };
    });
}

function link(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}

function read(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return undefined;
  }
}
