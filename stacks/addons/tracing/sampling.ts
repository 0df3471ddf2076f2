import type { TraceSampling } from "../../../components/tracing/collector-config";
import type { Stage } from "../../../planner/types";
import type { TracingConfig } from "./config";

const PERCENT: Readonly<Record<Stage, number>> = { development: 100, production: 10 };

export function samplingOf(
  { samplingPercent, slowSeconds }: Pick<TracingConfig, "samplingPercent" | "slowSeconds">,
  stage: Stage,
): TraceSampling {
  return { percent: samplingPercent ?? PERCENT[stage], ...(slowSeconds !== undefined && { slowSeconds }) };
}
