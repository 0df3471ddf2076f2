/**
 * Supported settings per vLLM release, and replacements of missing ones. Tables: releases.json
 * here, catalog/engine-releases/vllm.json.
 */
import {
  type EngineReleases,
  isWithin,
  namesOf,
  type ReleaseSpan,
  releaseHas,
  spanOf,
  spanText,
} from "../../catalog/engine-releases";
import record from "../../catalog/engine-releases/vllm.json";
import type { ArgumentValue } from "../served-model";
import table from "./releases.json";

export const vllmReleases: EngineReleases = record;

/** Features besides options that not every release has. */
export type VllmFeature = keyof typeof table.features;

interface FeatureRow extends ReleaseSpan {
  /** Subject and verb: `pipeline stages need`. */
  readonly what: string;
  readonly why: string;
  /** First release by major compute capability, if different. */
  readonly sinceOn?: Readonly<Record<string, string>>;
}

/** Replacement of an option that a release lacks: another option, or none. */
interface OlderForm {
  readonly argument?: string;
  readonly variable?: string;
  readonly instead?: string;
  /** Value of `instead`. @default the option's own */
  readonly value?: ArgumentValue;
}

const features: Readonly<Record<VllmFeature, FeatureRow>> = table.features;
const olderForms: readonly OlderForm[] = table.olderForms;

/** First releases with series that plans, dashboards and alerts use. */
export const seriesSince = table.series.since;

/** Why a release cannot serve something, and which can. */
export interface ReleaseGap {
  /**
   * `replicas over several nodes without Ray need vLLM 0.11.1 or newer: older releases have no
   * --nnodes`
   */
  readonly reason: string;
  /** Releases that can. */
  readonly span: ReleaseSpan;
}

/**
 * @param computeCapability of the card, if the feature depends on it.
 * @returns undefined if the release has it.
 */
export function featureGap(feature: VllmFeature, version: string, computeCapability?: number): ReleaseGap | undefined {
  const { what, why, sinceOn = {}, until, ...row } = features[feature];
  const since = sinceOn[Math.floor(computeCapability ?? 0)] ?? row.since;
  const span: ReleaseSpan = { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
  return isWithin(span, version) ? undefined : gap(what, span, why);
}

function gap(subject: string, span: ReleaseSpan, why?: string): ReleaseGap {
  return { reason: `${subject} vLLM ${spanText(span)}${why === undefined ? "" : `: ${why}`}`, span };
}

/** Whether a release has a flag, by name without dashes. */
export function vllmHas(argument: string, version: string): boolean {
  return releaseHas(vllmReleases.arguments, argument, version);
}

/** Values of a flag in a release; undefined if equal in all. */
export function vllmValues(argument: string, version: string): readonly string[] | undefined {
  const rows = valueRows(argument);
  return rows && namesOf(rows, version);
}

/** Why a release rejects a value of the platform; undefined if it accepts it. */
export function valueGap(argument: string, value: string, version: string): ReleaseGap | undefined {
  const rows = valueRows(argument);
  if (rows === undefined || releaseHas(rows, value, version)) {
    return undefined;
  }
  const span = spanOf(rows, value);
  return span && gap(`--${argument}=${value} needs`, span);
}

function valueRows(argument: string) {
  const { values = {} } = vllmReleases;
  return Object.hasOwn(values, argument) ? values[argument] : undefined;
}

/**
 * Flags for a release, with older forms of those that it lacks.
 *
 * @param values by name without dashes; undefined ones are left out.
 * @throws Error for a missing flag without older form, which the plan should have refused.
 */
export function argumentsFor(
  version: string,
  values: Readonly<Record<string, ArgumentValue | undefined>>,
): Record<string, ArgumentValue> {
  const written: Record<string, ArgumentValue> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) {
      Object.assign(written, argumentFor(version, name, value));
    }
  }
  return written;
}

function argumentFor(version: string, name: string, value: ArgumentValue): Readonly<Record<string, ArgumentValue>> {
  if (vllmHas(name, version)) {
    return { [name]: value };
  }
  const older = olderForms.find(({ argument }) => argument === name);
  if (older === undefined) {
    throw new Error(
      `vLLM ${version} has no --${name}: it needs ${spanText(spanOf(vllmReleases.arguments, name) ?? {})}`,
    );
  }
  return older.instead === undefined ? {} : argumentFor(version, older.instead, older.value ?? value);
}

/**
 * Variables for a release. Names without `VLLM_` prefix are not vLLM's, and stay.
 *
 * @throws Error for a missing required variable, which the plan should have refused.
 */
export function variablesFor(version: string, values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter(([name]) => {
      if (!name.startsWith("VLLM_") || releaseHas(vllmReleases.environment, name, version)) {
        return true;
      }
      if (olderForms.some(({ variable }) => variable === name)) {
        return false;
      }
      throw new Error(`vLLM ${version} reads no ${name}`);
    }),
  );
}
