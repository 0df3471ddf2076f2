/** Tests check every flag against the parser of each release. */
import { TRITON_PORTS } from "../../engines/triton";
import { tritonOptions } from "../../engines/triton/options";
import { GRPC_THREADS, tritonHas } from "../../engines/triton/releases";
import { tritonOwnSettings } from "../../engines/triton/settings";
import { BYTES_PER_MIB } from "../../names/units";
import type { ArgumentValue, ModelPlan } from "../../planner/types";
import { flags, literal } from "./command-line";

/** Least requests whose memory Triton keeps for the next ones: its own default. */
const LEAST_POOL = 8;

/**
 * Arguments of `tritonserver`.
 * @param repository folder of the model repository.
 */
export function tritonArguments(model: ModelPlan, repository: string): string[] {
  const { isRepository, resources, ...own } = tritonOwnSettings(model);
  return [
    ...flags({
      "--model-repository": repository,
      // The planned model and nothing else, whatever lies next to it; the model control API may load more.
      "--model-control-mode": "explicit",
      "--load-model": model.servedName,
      // Ports open once the planned model has loaded. Strictly, a failed further model would make
      // the pod unready for all.
      "--strict-readiness": "false",
      "--http-port": TRITON_PORTS.http,
      "--grpc-port": TRITON_PORTS.grpc,
      "--metrics-port": TRITON_PORTS.metrics,
      "--http-thread-count": own.httpThreads,
      [`--${GRPC_THREADS}`]: tritonHas(GRPC_THREADS, model.engineVersion) ? own.grpcThreads : undefined,
      "--grpc-infer-allocation-pool-size": own.grpcPool ?? Math.max(LEAST_POOL, model.concurrency),
      "--pinned-memory-pool-byte-size": own.pinnedPoolMiB * BYTES_PER_MIB,
      "--model-load-thread-count": own.loadThreads,
      // The 99th percentile that alerts and dashboards read.
      "--metrics-config": "summary_latencies=true",
      // After SIGTERM; the default is 30.
      "--exit-timeout-secs": model.drainSeconds,
    }),
    // Generated repositories need completion: it carries streaming from model.yaml into Triton's
    // configuration.
    ...(isRepository ? ["--disable-auto-complete-config"] : []),
    ...rateLimit(resources),
    ...Object.entries(model.args ?? {}).flatMap(([name, value]) => words(name, value)),
  ];
}

function rateLimit(resources: Readonly<Record<string, number>>): string[] {
  const limits = Object.entries(resources).map(([name, count]) => `--rate-limit-resource=${name}:${count}`);
  return limits.length === 0 ? [] : ["--rate-limit=execution_count", ...limits];
}

/** The words of a flag that the user wrote: a flag of several values occurs once for each. */
function words(name: string, value: ArgumentValue): string[] {
  const argument = tritonOptions.argumentNamed.get(name);
  if (argument?.kind === "switch" && !argument.assigned) {
    return value === true ? [`--${name}`] : [];
  }
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.map((each) => `--${name}=${literal(each)}`);
}
