/**
 * A leaving replica gets no new requests and waits for running ones, up to the plan's
 * `drainSeconds`, the gateway's request limit.
 */
import { engineOf } from "../../engines";
import type { ModelPlan } from "../../planner/types";
import type { HardenedContainer } from "../core/hardened-pod";

/** The gateway resolves addresses every 5 s. */
const DEREGISTER_SECONDS = 10;

/** To stop without requests. */
const STOP_SECONDS = 20;

/** Succeeds while requests run, in the engine's image. */
export interface BusyTest {
  readonly shell: "/bin/sh" | "/bin/bash";
  readonly test: string;
}

type Drained = Pick<ModelPlan, "drainSeconds">;

/** Maximum time from the signal to the end. */
export function leavingSeconds({ drainSeconds }: Drained): number {
  return DEREGISTER_SECONDS + drainSeconds + STOP_SECONDS;
}

/**
 * @param busy of an engine that would cut running requests.
 * @default the engine finishes them in its grace period
 */
export function leaving({ drainSeconds }: Drained, busy?: BusyTest): HardenedContainer["lifecycle"] {
  if (busy === undefined) {
    return { preStop: { sleep: { seconds: DEREGISTER_SECONDS } } };
  }
  const script = [
    `sleep ${DEREGISTER_SECONDS}`,
    `end=$(($(date +%s) + ${drainSeconds}))`,
    `busy() { ${busy.test}; }`,
    'while [ "$(date +%s)" -lt "$end" ] && busy; do sleep 1; done',
  ];
  return { preStop: { exec: { command: [busy.shell, "-c", script.join("\n")] } } };
}

/**
 * Open connections mean requests: the gateway closes idle ones. A keep-alive of others would
 * hold the pod, so scraped ports are excluded.
 * @param ports of requests; a sidecar proxy forwards under its own.
 */
export function whileConnected(ports: readonly number[]): BusyTest {
  // Columns of /proc/net/tcp: number, local and remote address, state (01: established; net/ipv4/tcp_ipv4.c, get_tcp4_sock).
  const established = ports.map((port) => `01/*:${port.toString(16).toUpperCase().padStart(4, "0")}`);
  const inPod = established.flatMap((each) =>
    ["*0100007F:*", "00000000000000000000000001000000:*"].map((there) => `${each}/${there}`),
  );
  return {
    shell: "/bin/sh",
    test: [
      "cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | {",
      "while read -r _ here there state _; do",
      'case "$state/$here/$there" in',
      // Loopback: 127.0.0.1, its IPv6 form, and ::1.
      `${inPod.join(" | ")}) ;;`,
      `${established.map((each) => `${each}/*`).join(" | ")}) exit 0 ;;`,
      "esac",
      "done",
      "exit 1",
      "}",
    ].join("\n"),
  };
}

/**
 * An engine that does not answer is not awaited.
 * @throws Error when it has no such count.
 */
export function whileCounted({ engine }: Pick<ModelPlan, "engine">): BusyTest {
  const { port, path, series } = engineOf(engine).metrics ?? {};
  const gauges = [series?.requestsRunning, series?.requestsWaiting].filter((name) => name !== undefined);
  if (port === undefined || gauges.length === 0) {
    throw new Error(`${engine} does not count the requests that run`);
  }
  return {
    shell: "/bin/bash",
    test: [
      `exec 3<>/dev/tcp/127.0.0.1/${port} || return 1`,
      `printf 'GET ${path} HTTP/1.0\\r\\n\\r\\n' >&3`,
      `grep -E '^(${gauges.join("|")})[{ ]' <&3 | grep -qvE ' 0(\\.0*)?[[:space:]]*$'`,
    ].join("\n"),
  };
}

export function both(one: BusyTest, other: BusyTest): BusyTest {
  const shell = [one, other].some((each) => each.shell === "/bin/bash") ? "/bin/bash" : "/bin/sh";
  return { shell, test: `${one.test} && {\n${other.test}\n}` };
}
