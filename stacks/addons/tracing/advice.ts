import { TRACE_COLLECTOR_RECEIVER } from "../../../components/tracing/names";
import { engineOf } from "../../../engines";
import { BYTES_PER_GIB } from "../../../names/units";
import type { CapacityProblem, DeploymentPlan } from "../../../planner/types";
import { requestsPerSecond } from "../request-rate";
import { reportsSpans } from "../traced-models";
import type { TracingConfig } from "./config";
import { samplingOf } from "./sampling";

/** Per request: two of the gateway, two of a node, one of the engine, and model control's. */
const SPANS = 6;
/** In Jaeger's store, with indexes. */
const SPAN_BYTES = 1500;

/** Models without spans, and volumes that declared traffic fills. */
export function traceAdvice(settings: TracingConfig, plan: DeploymentPlan): CapacityProblem[] {
  return [...silentEngines(plan), ...fullVolume(settings, plan)];
}

function silentEngines({ models }: DeploymentPlan): CapacityProblem[] {
  const silent = models.filter((model) => !reportsSpans(model, TRACE_COLLECTOR_RECEIVER));
  const engines = [...new Set(silent.map(({ engine }) => engineOf(engine).label))];
  return silent.length === 0
    ? []
    : [
        advice(
          "spans-of-the-gateway-alone",
          `${engines.join(" and ")} reports no spans: traces of ${silent.map(({ name }) => name).join(", ")} have those of the gateway alone`,
        ),
      ];
}

function fullVolume(settings: TracingConfig, plan: DeploymentPlan): CapacityProblem[] {
  const { storageGiB, retentionDays, endpoint } = settings;
  const kept = requestsPerSecond(plan) * (samplingOf(settings, plan.stage).percent / 100);
  const GiB = (kept * SPANS * SPAN_BYTES * retentionDays * 86_400) / BYTES_PER_GIB;
  return endpoint !== undefined || GiB <= storageGiB * 0.8
    ? []
    : [
        advice(
          "traces-fill-their-volume",
          `the declared traffic makes about ${Math.ceil(GiB)} GiB of traces in ${retentionDays} days, and the volume has ${storageGiB} GiB: lower samplingPercent or retentionDays, or raise storageGiB`,
        ),
      ];
}

function advice(rule: string, message: string): CapacityProblem {
  return { severity: "advisory", rule, subject: "tracing", message };
}
