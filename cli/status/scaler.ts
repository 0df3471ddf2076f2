/** What KEDA says of a model that it scales. */
import type { ExpectedModel } from "./expected";
import type { ScaledObjectFact } from "./facts";
import type { StatusProblem } from "./result";

/** Whether a model without replicas is one that nobody asks for, and not one that somebody stopped. */
export function sleeps(scaling: ExpectedModel["scaling"], scaler: ScaledObjectFact | undefined): boolean {
  return scaling?.min === 0 && condition(scaler, "Paused")?.status !== "True";
}

/** A model whose signals cannot be read keeps its replicas, and looks well. */
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
