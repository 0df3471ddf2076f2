/** What the traffic of a placed model lacks. */
import { SERVICE_LEVEL } from "../../names/rules";
import type { Placement } from "../placement";
import { peakRate } from "../traffic";
import type { CapacityProblem } from "../types";
import { USUAL_LEVEL } from "./level-rate";
import { figure, LIMIT_TEXTS, layoutText, levelTexts } from "./text";

/** The file allows fewer replicas than the peak takes. */
export function trafficProblems({ model, candidate: { sizing, layout } }: Placement): CapacityProblem[] {
  const { name, traffic, minReplicas, maxReplicas, serviceLevel = {} } = model;
  if (sizing === undefined || traffic === undefined || sizing.needed <= maxReplicas) {
    return [];
  }
  const { rate, needed } = sizing;
  const { confidence = USUAL_LEVEL.confidence } = serviceLevel;
  const within = levelTexts(serviceLevel);
  const level = within.length > 0 ? ` within ${within.join(" and ")}` : "";
  return [
    {
      severity: "mandatory",
      rule: SERVICE_LEVEL,
      subject: `models.${name}`,
      message: `${name} needs ${needed} replicas for ${figure(peakRate(traffic))} requests/s at the peak: each of them (${layoutText(layout)}) answers ${figure(rate.requestsPerSecond)} requests/s${level} at confidence ${confidence}, limited by ${LIMIT_TEXTS[rate.limitedBy]}. replicas.max is ${maxReplicas}.`,
      remedies: [
        `write models.${name}.replicas: {min: ${Math.min(minReplicas, needed)}, max: ${needed}}, or remove replicas: they follow from traffic then`,
      ],
    },
  ];
}
