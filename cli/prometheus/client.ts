/** Prometheus' HTTP API (api/v1). */
import { z } from "zod";
import type { HttpClient } from "../smoke/http";
import { expectJson } from "../smoke/json";

/** Values are texts, because JSON has no NaN. */
const sample = z.tuple([z.number(), z.string()]);
const labels = z.record(z.string(), z.string());
const vector = z.object({ data: z.object({ result: z.array(z.object({ metric: labels, value: sample })) }) });
const matrix = z.object({ data: z.object({ result: z.array(z.object({ metric: labels, values: z.array(sample) })) }) });

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

export interface Series {
  readonly labels: Labels;
  /** By Unix seconds, without non-numbers. */
  readonly points: ReadonlyMap<number, number>;
}

/** Unix seconds. */
export interface Window {
  readonly start: number;
  readonly end: number;
  readonly step: number;
}

const LOOK_AT = "--prometheus, which must be the address of a Prometheus, or of what answers its api/v1";

export class Prometheus {
  constructor(private readonly http: HttpClient) {}

  /** Current samples that are numbers. @throws NoAnswer, StepFailure */
  async now(query: string, signal: AbortSignal): Promise<Sample[]> {
    const { data } = await this.ask("query", { query }, vector, signal);
    return data.result
      .map(({ metric, value: [, text] }) => ({ labels: metric, value: Number(text) }))
      .filter(({ value }) => Number.isFinite(value));
  }

  /** @throws NoAnswer, StepFailure */
  async over(query: string, { start, end, step }: Window, signal: AbortSignal): Promise<Series[]> {
    const times = { start: String(start), end: String(end), step: String(step) };
    const { data } = await this.ask("query_range", { query, ...times }, matrix, signal);
    return data.result.map(({ metric, values }) => ({
      labels: metric,
      points: new Map(
        values.map(([time, text]) => [time, Number(text)] as const).filter(([, value]) => Number.isFinite(value)),
      ),
    }));
  }

  private async ask<T>(
    call: string,
    parameters: Readonly<Record<string, string>>,
    schema: z.ZodType<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const answer = await this.http.request("GET", `/api/v1/${call}?${new URLSearchParams(parameters)}`, signal);
    return expectJson(answer, {
      what: `${call} of Prometheus`,
      schema,
      lookAt: LOOK_AT,
      advice: this.http.advice,
    });
  }
}
