import { KEDA_NAMESPACE } from "../../../names/namespaces";
import type { ApiServiceFact } from "../facts";
import { type Check, failed, judged, passed, type Subject, type Verdict, warning } from "./check";

/** API of autoscaling metrics: one server per cluster. */
const NAME = "v1beta1.external.metrics.k8s.io";

/** KEDA serves it; a HorizontalPodAutoscaler needs an existing adapter. */
export const externalMetrics: Check = ({ apiServices }, { autoscaler }) => {
  if (autoscaler === undefined) {
    return [];
  }
  const subject: Subject = {
    check: "external-metrics",
    title: "External metrics",
    needed:
      autoscaler === "keda"
        ? "not served yet: the platform's KEDA does"
        : "served by an adapter, for models say scaling: {by: hpa}",
  };
  return [
    judged(subject, apiServices, (all) => {
      const found = all.find(({ name }) => name === NAME);
      return autoscaler === "keda" ? forKeda(found) : forAdapter(found);
    }),
  ];
};

function forKeda(found: ApiServiceFact | undefined): Verdict {
  if (found === undefined) {
    return passed("not served yet");
  }
  return found.service?.namespace === KEDA_NAMESPACE
    ? passed(`the platform's own, ${serverOf(found)}`)
    : failed(
        `${serverOf(found)} serves them, not the platform's KEDA`,
        `remove what serves them: kubectl get apiservice ${NAME} -o yaml names it; Helm would refuse to take it over`,
        "or let that serve our recorded series, and write scaling: {by: hpa} under each model that scales (docs/autoscaling.md)",
      );
}

function forAdapter(found: ApiServiceFact | undefined): Verdict {
  if (found === undefined) {
    return failed(
      "not served: no replica would ever be added",
      "install an adapter with the rules of docs/autoscaling.md, such as prometheus-adapter",
      "or leave scaling.by out: the platform then installs KEDA",
    );
  }
  return found.available
    ? passed(serverOf(found))
    : warning(
        `${serverOf(found)} does not answer now`,
        `kubectl get apiservice ${NAME} says why: until it answers, models keep the replicas that they have`,
      );
}

function serverOf({ service }: ApiServiceFact): string {
  return service === undefined ? "the API server itself" : `${service.namespace}/${service.name}`;
}
