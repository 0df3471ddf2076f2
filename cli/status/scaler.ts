/** KEDA's state of a model. */
import type { ExpectedModel } from "./expected";
import type { ScaledObjectFact } from "./facts";
import type { StatusProblem } from "./result";

/** Distinguishes a model without demand from a stopped one. */
export function sleeps(scaling: ExpectedModel["scaling"], scaler: ScaledObjectFact | undefined): boolean {
  return scaling?.min === 0 && condition(scaler, "Paused")?.status !== "True";
}

/** With unreadable signals a model keeps its replicas and looks healthy. */
export function scalerProblems(scaler: ScaledObjectFact): StatusProblem[] {
  const ready = condition(scaler, "Ready");
  const fallback = condition(scaler, "Fallback");
  if (ready?.status !== "False" && fallback?.status !== "True") {
    return [];
  }
  const { reason, message } = (ready?.status === "False" ? ready : fallback) ?? {};
  return [
    {
      what: "autoscaling",
      why: `its signals cannot be read, so demand changes nothing: ${message ?? reason ?? "no reason is given"}`,
      remedies: [
        "whether Prometheus is ready and scrapes the model: the platform's table above, namespace observability",
        "kubectl -n keda logs deploy/keda-operator --tail=50",
      ],
    },
  ];
}

function condition(scaler: ScaledObjectFact | undefined, type: string) {
  return scaler?.status.conditions.find((each) => each.type === type);
}
