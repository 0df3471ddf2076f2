/**
 * Detects lost pods of a multi-node replica: vLLM notices after five minutes within a step, and
 * never without requests (VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS, v1/executor/multiproc_executor.py of
 * 0.33.0).
 */
import { shippedText } from "../../names/shipped-file";
import type { ModelPlan } from "../../planner/types";
import type { BusyTest } from "./drain";
import { KILL_GRACE, PROBE_PERIOD_SECONDS, type Probes, startupFailures } from "./probes";

/** Next to RENDEZVOUS_PORT; a node's port on the host network. */
const MEMBER_PORT = 29_502;

/** Health of the pod and its peers, as port/path. */
export const GROUP_PLACE = `${MEMBER_PORT}/group`;

/**
 * Three failures, the last up to 8 s: 15 to 53 s. With KILL_GRACE the group restarts within 85 s.
 */
export const GROUP_PERIOD = { periodSeconds: 15, failureThreshold: 3 } as const;

/** Answers on GROUP_PLACE while the command runs. */
export function asMember(command: readonly string[]): string[] {
  return ["python3", "-c", shippedText("components/serving/scripts/group_member.py"), String(MEMBER_PORT), ...command];
}

/** A worker has no API: its health is its leader's. */
export function workerProbes(model: ModelPlan): Probes {
  const httpGet = { path: "/group", port: MEMBER_PORT };
  return {
    startupProbe: {
      ...KILL_GRACE,
      httpGet,
      periodSeconds: PROBE_PERIOD_SECONDS,
      timeoutSeconds: 10,
      failureThreshold: startupFailures(model),
    },
    livenessProbe: { ...KILL_GRACE, httpGet, timeoutSeconds: 10, ...GROUP_PERIOD },
  };
}

/** Requests of a broken group never end. */
export function whileWhole(): BusyTest {
  const ask = [
    "import http.client",
    `connection = http.client.HTTPConnection("127.0.0.1", ${MEMBER_PORT}, timeout=10)`,
    'connection.request("GET", "/group")',
    "exit(connection.getresponse().status != 200)",
  ];
  return { shell: "/bin/sh", test: `python3 -c '${ask.join("; ")}' 2>/dev/null` };
}
