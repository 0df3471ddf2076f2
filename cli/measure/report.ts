import type { MeasuredFigure, MeasuredLoad, SpeedMeasurement } from "../../planner/speed/measurement";
import { count, duration, table } from "../../report/style";
import { type Loads, mostTokens, ROUNDS } from "./measure-server";

/** Before the first load. */
export function announcement(loads: Loads): string {
  const { inFlight, traffic, seconds } = loads;
  const { inputTokens, outputTokens, sharedPrefixTokens } = traffic;
  const prefix = sharedPrefixTokens > 0 ? ` (${count(sharedPrefixTokens)} of them the same in all)` : "";
  return `${inFlight.length} loads in ${ROUNDS} rounds: ${inFlight.join(", ")} requests at once of ${count(inputTokens)}${prefix} and at most ${count(outputTokens)} tokens.
At most ${duration(seconds)}, and ${count(mostTokens(loads))} tokens. Ctrl-C ends it; what was measured until then is kept.
`;
}

/** @param notes further notes. */
export function measurementReport(measurement: SpeedMeasurement, notes: readonly string[]): string {
  const { card, engine, engineVersion, model, quantization, tensorParallel, pipelineParallel, loads } = measurement;
  const head = [
    "at once",
    "tokens in + out",
    "first token",
    "p99",
    "per token",
    "p99",
    "tokens/s",
    "requests",
    "failed",
  ];
  const right = (text: string) => ({ text, align: "right" as const });
  const rows = loads.map((load) => rowOf(load).map(right));
  const format = quantization === undefined ? "" : ` in ${quantization}`;
  const layout = tensorParallel * pipelineParallel > 1 ? ` · TP ${tensorParallel} × PP ${pipelineParallel}` : "";
  return `
${model}${format} · ${engine} ${engineVersion} · ${card}${layout}

${table([head.map(right), ...rows])}${notes.map((note) => `${note}\n`).join("")}`;
}

function rowOf(load: MeasuredLoad): string[] {
  const { inFlight, inputTokens, outputTokens, ttftMs, tpotMs, tokensPerSecond, requests, failed } = load;
  return [
    String(inFlight),
    `${count(inputTokens)} + ${count(outputTokens)}`,
    figureText(ttftMs),
    ttftMs.p99 === undefined ? "–" : milliseconds(ttftMs.p99),
    tpotMs === undefined ? "–" : figureText(tpotMs),
    tpotMs?.p99 === undefined ? "–" : milliseconds(tpotMs.p99),
    `${count(tokensPerSecond.value)}${errorText(tokensPerSecond.error)}`,
    String(requests),
    String(failed),
  ];
}

function figureText({ median, error }: MeasuredFigure): string {
  return `${milliseconds(median)}${errorText(error)}`;
}

function errorText(error: number | undefined): string {
  return error === undefined ? "" : ` ± ${Math.max(1, Math.round(100 * error))} %`;
}

/** `0.42 ms`, `41.3 ms`, `412 ms`, `4.12 s`. */
function milliseconds(value: number): string {
  return value < 1000 ? `${Number(value.toPrecision(3))} ms` : `${(value / 1000).toFixed(2)} s`;
}
