/** What the report says of how replicas follow demand, in words that terminal and page share. */
import type { ScalingPlan, SignalPlan, SpikeToServed } from "../planner/scaling";
import { duration } from "./style";

type Words = (target: number) => string;

const SIGNALS: Readonly<Record<SignalPlan["on"], Words>> = {
  queue: (target) => `${target} waiting ${requests(target)} each`,
  kvCache: (target) => `KV cache ${target} %`,
  latency: (target) => `p99 ${target} ms`,
  gpuMemory: (target) => `GPU memory ${target} %`,
  gpuUtilization: (target) => `GPUs busy ${target} %`,
  cpuQueue: (target) => `CPU queue ${target}`,
};

/** What changes the number of replicas. */
export const AUTOSCALER_LABELS: Readonly<Record<ScalingPlan["by"], string>> = { keda: "KEDA", hpa: "HPA" };

/** Targets: `2 waiting requests each, KV cache 80 %`; and load at the service level, if known. */
export function signalsText({ by, signals, atOnce }: Pick<ScalingPlan, "by" | "signals" | "atOnce">): string {
  // A HorizontalPodAutoscaler follows its signals alone; the gateway counts what runs with what waits.
  const isAsked = by === "keda" && !signals.some(({ at }) => at === "gateway");
  const running = atOnce === undefined || !isAsked ? [] : [`${atOnce} running ${requests(atOnce)} each`];
  return [...running, ...signals.map(signalText)].join(", ");
}

function requests(count: number): string {
  return count === 1 ? "request" : "requests";
}

function signalText({ on, target, at }: SignalPlan): string {
  return at === "gateway" ? `${target} ${requests(target)} under way each` : SIGNALS[on](target);
}

type SpikePart = Exclude<keyof SpikeToServed, "total">;

const SPIKE_PARTS: readonly SpikePart[] = ["scrape", "poll", "node", "load"];

/** Phases from a spike to a new replica, in order. */
export function spikeParts(spike: SpikeToServed): { readonly name: SpikePart; readonly seconds: number }[] {
  return SPIKE_PARTS.map((name) => ({ name, seconds: spike[name] })).filter(({ seconds }) => seconds > 0);
}

/** `5 min 26 s = scrape 15 s + poll 15 s + load 4 min 56 s` */
export function spikeText(spike: SpikeToServed): string {
  const parts = spikeParts(spike).map(({ name, seconds }) => `${name} ${duration(seconds)}`);
  return `${duration(spike.total)} = ${parts.join(" + ")}`;
}

/** Undefined for a model that never sleeps. */
export function sleepText({ idleSeconds, coldStartSeconds }: ScalingPlan): string | undefined {
  return idleSeconds === undefined
    ? undefined
    : `asleep after ${duration(idleSeconds)} without requests, awake ${duration(coldStartSeconds)} after one`;
}

/** What runs besides for the demand that is expected: schedule and spare room. */
export function readinessTexts({ schedule, spareReplicas }: ScalingPlan): string[] {
  return [
    ...schedule.map(({ from, to, timezone, replicas }) => `${replicas} or more from "${from}" to "${to}" ${timezone}`),
    ...(spareReplicas > 0 ? [`nodes ready for ${spareReplicas} more`] : []),
  ];
}
