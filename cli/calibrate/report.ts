/** Report of `calibrate` per model. */
import type { SpeedMeasurement } from "../../planner/speed/measurement";
import { count, table, wrap } from "../../report/style";
import { measurementReport } from "../measure/report";
import type { BandVerdict, Judgement } from "./bands";
import type { ThinLoad } from "./loads";
import { LEAST } from "./loads";
import type { CalibrationRefusal } from "./refusal";

export type CalibratedModel =
  | { readonly model: string; readonly refused: CalibrationRefusal; readonly thin?: readonly ThinLoad[] }
  | {
      readonly model: string;
      readonly measurement: SpeedMeasurement;
      readonly thin: readonly ThinLoad[];
      readonly judgement: Judgement;
      /** Undefined: none. */
      readonly file?: string;
    };

const WIDTH = 120;

const VERDICTS: Readonly<Record<BandVerdict["verdict"], string>> = {
  within: "within",
  below: "faster than the plan's range",
  above: "slower than the plan's range",
  open: "its bucket lies over an end of the range",
};

export function calibrationText(models: readonly CalibratedModel[]): string {
  return models.map(modelText).join("");
}

function modelText(result: CalibratedModel): string {
  const thin = (result.thin ?? []).map(thinText);
  if ("refused" in result) {
    const { reason, lookAt } = result.refused;
    return [`\n${result.model}: not measured: ${reason}`, ...thin, `  look at: ${lookAt}`, ""].join("\n");
  }
  const { measurement, judgement, file } = result;
  const notes = [...cacheNotes(measurement), ...thin, ...(file === undefined ? [] : [`wrote ${file}`])];
  return `${measurementReport(measurement, notes)}${judgementText(judgement)}`;
}

function thinText({ inFlight, requests, intervals }: ThinLoad): string {
  return `left out: about ${inFlight} at once: ${count(requests)} requests in ${intervals} intervals; at least ${LEAST.requests} in ${LEAST.intervals} are needed, within the bounds of the histograms`;
}

function cacheNotes({ loads }: SpeedMeasurement): string[] {
  return loads.flatMap(({ inFlight, kvCacheUsage }) =>
    kvCacheUsage === undefined
      ? []
      : [
          `KV cache at ${inFlight} at once: ${percent(kvCacheUsage.mean)} on average, ${percent(kvCacheUsage.max)} at most`,
        ],
  );
}

function judgementText(judgement: Judgement): string {
  if ("incomparable" in judgement) {
    return `\n${wrap(`The plan's ranges are not compared: ${judgement.incomparable}.`, WIDTH, "").join("\n")}\n`;
  }
  const right = (text: string) => ({ text, align: "right" as const });
  const rows = judgement.bands.map(({ figure, observed, expected, verdict }) => [
    figure,
    right(milliseconds(observed.low === observed.high ? [observed.low] : [observed.low, observed.high])),
    right(milliseconds([expected.low, expected.high])),
    VERDICTS[verdict],
  ]);
  const head = [`at ${judgement.inFlight} at once`, right("observed"), right("plan"), ""];
  return `\n${table([head, ...rows])}`;
}

function milliseconds(values: readonly number[]): string {
  return `${values.map((value) => (Number.isFinite(value) ? String(Number(value.toPrecision(3))) : "∞")).join(" to ")} ms`;
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
