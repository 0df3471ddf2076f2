import { engineOf } from "../../engines";
import { SERVICE_LEVEL } from "../../names/rules";
import type { Candidate } from "../candidates/types";
import type { Placement } from "../placement";
import type { ModelRequest } from "../request";
import type { ServiceLevel } from "../service-level";
import { peakRate } from "../traffic";
import type { CapacityProblem } from "../types";
import { type LevelRate, USUAL_LEVEL } from "./level-rate";
import { isDerived } from "./sizing";
import { LIMIT_TEXTS, layoutText, levelTexts, requestsText } from "./text";

/** The file allows fewer replicas than the peak needs. */
export function trafficProblems({ model, candidate: { sizing, layout, pool } }: Placement): CapacityProblem[] {
  const { name, traffic, minReplicas, maxReplicas, serviceLevel = {} } = model;
  if (sizing === undefined || traffic === undefined || sizing.needed <= maxReplicas) {
    return [];
  }
  const { rate, needed } = sizing;
  // Without autoscaling all replicas always run.
  const least = engineOf(model.engine).noScaling === undefined ? Math.min(minReplicas, needed) : needed;
  return [
    {
      severity: "mandatory",
      rule: SERVICE_LEVEL,
      subject: `models.${name}`,
      message: `${name} needs ${needed} replicas for ${requestsText(peakRate(traffic))} at the peak: each of them (${layoutText(layout)}) ${answersText(rate, serviceLevel)}. replicas.max is ${maxReplicas}.`,
      remedies: [
        `write models.${name}.replicas: {min: ${least}, max: ${needed}}, or remove replicas: they follow from traffic then. Pool "${pool}" must have room for them`,
      ],
    },
  ];
}

/** Why the plan sets this number of replicas; undefined where the file does. */
export function peakText(model: ModelRequest, { sizing, layout }: Pick<Candidate, "sizing" | "layout">) {
  const { traffic, serviceLevel = {} } = model;
  return sizing === undefined || traffic === undefined || !isDerived(model, "replicas")
    ? undefined
    : `${requestsText(peakRate(traffic))} at the peak; each replica (${layoutText(layout)}) ${answersText(sizing.rate, serviceLevel)}`;
}

function answersText(rate: LevelRate, level: ServiceLevel): string {
  const { confidence = USUAL_LEVEL.confidence } = level;
  const times = levelTexts(level);
  const within = times.length > 0 ? ` within ${times.join(" and ")}` : "";
  return `answers ${requestsText(rate.requestsPerSecond)}${within} at confidence ${confidence}, limited by ${LIMIT_TEXTS[rate.limitedBy]}`;
}
