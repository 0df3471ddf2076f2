import type { ModelRequest } from "../request";
import { communicationMs } from "../speed/communication";
import { atRate, closedLoop } from "../speed/load";
import { type Band, band, type Interval, intervalOf, type SpeedBasis, type SpeedQuestion } from "../speed/margin";
import type { Times } from "../speed/simulation";
import type { LimitedBy, ReplicaSetup } from "../speed/types";
import { peakRate } from "../traffic";
import { FIRST_TOKEN, USUAL_LEVEL } from "./level-rate";
import type { ReplicaSpeed, SpeedAnswer } from "./replica-speed";
import { simulatedAt } from "./simulated";
import { type Sizing, sizingOf } from "./sizing";

/** At this confidence a prediction is as good as a measurement (a judgement). */
export const CAUTIOUS = 0.95;

/** A figure with its interval at the confidence. */
export interface TimesPlan {
  readonly mean: Interval;
  readonly p99: Interval;
}

export interface SpeedPlan {
  /** Peak traffic, or `concurrency` requests at once. */
  readonly load: "traffic" | "concurrency";
  /** Average. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Running requests of one replica. */
  readonly inFlight: number;
  /** Each further token. */
  readonly tokenMs: TimesPlan;
  readonly firstTokenMs: TimesPlan;
  /** Of one replica. */
  readonly requestsPerSecond: Interval;
  readonly tokensPerSecond: Interval;
  /**
   * Most that a replica answers within the level: at its confidence, and expected. With traffic.
   */
  readonly capacity?: { readonly requestsPerSecond: number; readonly expected: number };
  /** Fraction of capacity that the peak leaves free; negative where exceeded. Only with traffic. */
  readonly headroom?: number;
  /** For the peak. Only with traffic. */
  readonly neededReplicas?: number;
  /**
   * Whether the level holds at `CAUTIOUS` confidence too. Only with traffic or a level of times.
   */
  readonly sure?: boolean;
  readonly limitedBy: LimitedBy;
  /** Requests come faster than answers, or wait for memory: time to first token is a queue's. */
  readonly saturated: boolean;
  /** Share of each token's time for exchange between GPUs, and between stages with their nodes. */
  readonly exchangeMs: { readonly gpus: number; readonly stages: number };
  /** Of the intervals. */
  readonly confidence: number;
  readonly basis: SpeedBasis;
  /** Whether figures are from a simulation of random arrivals. */
  readonly simulated: boolean;
  readonly why?: string;
}

export interface SpeedQuestionOfPlan {
  readonly answer: SpeedAnswer;
  readonly sizing?: Sizing;
  readonly why?: string;
  /** Simulates the traffic: some hundredths of a second. */
  readonly simulates: boolean;
}

/** Undefined where unknown. */
export function planSpeed(model: ModelRequest, asked: SpeedQuestionOfPlan): SpeedPlan | undefined {
  if ("reason" in asked.answer) {
    return undefined;
  }
  const { speed } = asked.answer;
  return model.traffic === undefined ? atConcurrency(model, speed, asked) : atTraffic(model, speed, asked);
}

interface Figures {
  readonly inFlight: number;
  readonly tokenMs: { readonly mean: number; readonly p99: number };
  readonly firstTokenMs: { readonly mean: number; readonly p99: number };
  readonly requestsPerSecond: number;
}

function atConcurrency(model: ModelRequest, speed: ReplicaSpeed, asked: SpeedQuestionOfPlan): SpeedPlan {
  const { setup, shape } = speed;
  const loop = closedLoop(setup, shape, model.concurrency);
  const { p99, p50 } = { p50: loop.tpotMs, p99: loop.tpotMs * setup.coefficients.tpotP99 };
  const figures: Figures = {
    inFlight: loop.sequences,
    tokenMs: { mean: p50, p99 },
    firstTokenMs: { mean: loop.ttftMs, p99: loop.ttftMs * FIRST_TOKEN_P99 },
    requestsPerSecond: loop.requestsPerSecond,
  };
  return speedPlan(model, speed, asked, figures, {
    load: "concurrency",
    limitedBy: loop.limitedBy,
    saturated: loop.saturated,
    simulated: false,
  });
}

/** Closed-loop clients never queue: the tail waits about twice the median (a judgement). */
const FIRST_TOKEN_P99 = 2;

function atTraffic(model: ModelRequest, speed: ReplicaSpeed, asked: SpeedQuestionOfPlan): SpeedPlan {
  const { traffic, maxReplicas } = model;
  const rate = traffic === undefined ? 0 : peakRate(traffic) / Math.max(1, maxReplicas);
  const closed = atRate(speed.setup, speed.shape, rate);
  const run = asked.simulates ? simulatedAt(speed, rate) : undefined;
  const times = ({ mean, p99 }: Times) => ({ mean, p99 });
  const tokenMs = run?.tpotMs ? times(run.tpotMs) : closed.tpotMs;
  const answered = closed.stable ? rate : rate / closed.utilization;
  const figures: Figures = {
    // Little's law: running requests are rate times time.
    inFlight: run?.inFlight ?? (answered * (closed.tpotMs.mean * speed.shape.outputTokens)) / 1e3,
    tokenMs,
    firstTokenMs: run ? times(run.ttftMs) : closed.ttftMs,
    requestsPerSecond: answered,
  };
  const { sizing } = asked;
  const saturated = !closed.stable || run?.saturated === true;
  return {
    ...speedPlan(model, speed, asked, figures, {
      load: "traffic",
      limitedBy: sizing?.rate.limitedBy ?? "weights",
      saturated,
      simulated: run !== undefined,
    }),
    ...(sizing && {
      capacity: { requestsPerSecond: sizing.rate.requestsPerSecond, expected: sizing.rate.expected },
      headroom: sizing.rate.requestsPerSecond > 0 ? 1 - rate / sizing.rate.requestsPerSecond : -1,
      neededReplicas: sizing.needed,
    }),
  };
}

function speedPlan(
  model: ModelRequest,
  speed: ReplicaSpeed,
  { why, sizing }: SpeedQuestionOfPlan,
  figures: Figures,
  rest: Pick<SpeedPlan, "load" | "limitedBy" | "saturated" | "simulated">,
): SpeedPlan {
  const { setup, basis, shape } = speed;
  const confidence = model.serviceLevel?.confidence ?? USUAL_LEVEL.confidence;
  const range = (question: SpeedQuestion): Band => band(question, setup, confidence, basis);
  const timesOf = (question: SpeedQuestion, { mean, p99 }: Figures["tokenMs"]): TimesPlan => ({
    mean: bounded(intervalOf(mean, range(question))),
    p99: bounded(intervalOf(p99, range(question))),
  });
  // A replica that keeps up answers all arrivals.
  const isGiven = rest.load === "traffic" && !rest.saturated;
  const rates = isGiven ? { low: 1, high: 1 } : range("tokensPerSecond");
  return {
    ...rest,
    inputTokens: shape.inputTokens,
    outputTokens: shape.outputTokens,
    inFlight: figures.inFlight,
    tokenMs: timesOf("tpot", figures.tokenMs),
    firstTokenMs: timesOf(FIRST_TOKEN, figures.firstTokenMs),
    requestsPerSecond: intervalOf(figures.requestsPerSecond, rates),
    tokensPerSecond: intervalOf(figures.requestsPerSecond * shape.outputTokens, rates),
    exchangeMs: exchangeOf(setup, figures.inFlight),
    confidence,
    basis,
    ...(sizing && { sure: sizing.needed <= model.maxReplicas && isSure(model, speed) }),
    ...(why !== undefined && { why }),
  };
}

function isSure(model: ModelRequest, speed: ReplicaSpeed): boolean {
  const { confidence = USUAL_LEVEL.confidence } = model.serviceLevel ?? {};
  const serviceLevel = { ...model.serviceLevel, confidence: Math.max(CAUTIOUS, confidence) };
  return sizingOf({ ...model, serviceLevel }, speed).needed <= model.maxReplicas;
}

/** JSON has no infinity: an hour represents an endless queue. */
const LONGEST_MS = 3_600_000;

function bounded({ expected, low, high }: Interval): Interval {
  const most = (value: number) => Math.min(LONGEST_MS, value);
  return { expected: most(expected), low: most(low), high: most(high) };
}

function exchangeOf(setup: ReplicaSetup, sequences: number): SpeedPlan["exchangeMs"] {
  const tokens = Math.max(1, sequences / setup.pipelineParallel);
  const all = communicationMs(setup, tokens);
  const stages = communicationMs({ ...setup, tensorParallel: 1, attentionDataParallel: 1 }, tokens);
  return { gpus: Math.max(0, all - stages), stages };
}
