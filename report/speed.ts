/** Shared by terminal and page. */
import type { SpeedPlan, TimesPlan } from "../planner/level/speed-plan";
import { BASIS_TEXTS, figure, LIMIT_TEXTS, requestsText } from "../planner/level/text";
import type { Interval } from "../planner/speed/margin";
import type { ApiComparison, TokenPrice } from "../planner/speed/price";
import type { ModelPlan } from "../planner/types";
import { count } from "./style";

/** One replica in a few clauses; none of what makes no tokens. */
export function speedTexts({ speed, noSpeed, tokenPrice, task, traffic }: ModelPlan): string[] {
  if (speed === undefined) {
    const isAsked = task === "chat" || task === "completion";
    return isAsked && noSpeed !== undefined ? [`speed not predicted: ${noSpeed}`] : [];
  }
  return [
    `${rangeText(speed.tokensPerSecond)} tokens/s, ${requestsText(speed.requestsPerSecond.expected)} per replica ${loadText(speed)}`,
    timesText(speed.tokenMs, "per token"),
    speed.saturated ? "saturated: requests wait for room" : timesText(speed.firstTokenMs, "to the first"),
    ...(speed.capacity && traffic
      ? [`at most ${requestsText(speed.capacity.requestsPerSecond)} within its level`]
      : []),
    `limited by ${LIMIT_TEXTS[speed.limitedBy]}`,
    // Replicas over stages or nodes show what that costs each token.
    ...(speed.exchangeMs.stages > 0 ? exchangeTexts(speed) : []),
    ...ownPriceTexts(tokenPrice),
    ...(speed.why === undefined ? [] : [speed.why]),
  ];
}

/** What the figures rest on, and what is next to them: for --verbose. */
export function speedDetails({ speed, tokenPrice }: Pick<ModelPlan, "speed" | "tokenPrice">): string[] {
  if (speed === undefined) {
    return [];
  }
  const { inputTokens, outputTokens, confidence, basis, simulated } = speed;
  const how = simulated ? "by a simulation of requests that come at random" : "in closed form";
  return [
    `for requests of ${count(inputTokens)} + ${count(outputTokens)} tokens on average, ${how}; ranges hold ${Math.round(100 * confidence)} % of measurements, from ${BASIS_TEXTS[basis]}`,
    ...(speed.exchangeMs.stages > 0 ? [] : exchangeTexts(speed)),
    ...(tokenPrice?.apis ?? []).map(apiPriceText),
  ];
}

/** What another asks for the same tokens, and from which load on own machines cost less. */
export function apiPriceText(api: ApiComparison): string {
  const { provider, offer, asOf, usdPerMillionTokens, breakEvenPerSecond, isReachable } = api;
  const verdict = isReachable
    ? `own replicas cost less from ${figure(breakEvenPerSecond)} requests/s`
    : "cheaper than these replicas at any load";
  return `${provider} ${figure(usdPerMillionTokens)} USD per million tokens of ${offer} (${asOf}), ${verdict}`;
}

/** `1,380 (1,020–1,870)` */
export function rangeText({ expected, low, high }: Interval): string {
  return low === expected && high === expected
    ? figure(expected)
    : `${figure(expected)} (${figure(low)}–${figure(high)})`;
}

/** `31 ms (25–39) per token, p99 44 (36–56)` */
export function timesText({ mean, p99 }: TimesPlan, what: string): string {
  return `${figure(mean.expected)} ms (${figure(mean.low)}–${figure(mean.high)}) ${what}, p99 ${rangeText(p99)}`;
}

function loadText({ load, inFlight }: SpeedPlan): string {
  return load === "traffic"
    ? "at the peak"
    : `with ${count(inFlight)} ${inFlight > 1 ? "requests" : "request"} at once`;
}

/** What spreading a model costs each token. */
function exchangeTexts({ exchangeMs: { gpus, stages } }: SpeedPlan): string[] {
  const parts = [
    ...(gpus > 0 ? [`exchange between GPUs adds ${figure(gpus)} ms`] : []),
    ...(stages > 0 ? [`exchange between pipeline stages ${gpus > 0 ? "" : "adds "}${figure(stages)} ms`] : []),
  ];
  return parts.length > 0 ? [`${parts.join(" and ")} to each token`] : [];
}

/** `0.42 USD per million tokens`; without traffic as if the replicas were always that busy. */
function ownPriceTexts(price: TokenPrice | undefined): string[] {
  const { usdPerMillionTokens, atCapacityUsdPerMillionTokens } = price ?? {};
  const own = usdPerMillionTokens ?? atCapacityUsdPerMillionTokens;
  if (own === undefined || own === 0) {
    return [];
  }
  return [
    `${figure(own)} USD per million tokens${usdPerMillionTokens === undefined ? " if always so busy" : " at its traffic"}`,
  ];
}
