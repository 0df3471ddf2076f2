import { RECEIVER_SECRETS } from "../../../components/observability/alert-receivers";
import type { CapacityProblem } from "../../../planner/types";
import { NAMESPACE } from "../../config/core/schema";
import type { Given, Planned } from "../contract";
import type { ObservabilityConfig, ObservabilitySecret } from "./config";
import { peopleGet, peopleOf, reachesPeople, receiversOf, withoutSecret } from "./receivers";

export function alertAdvice({
  settings,
  secrets,
  plan,
}: Given<Planned, ObservabilityConfig, ObservabilitySecret>): CapacityProblem[] {
  const keys = Object.keys(secrets);
  const receivers = receiversOf(settings.alerts, keys);
  const missing = withoutSecret(receivers, keys).map((kind) =>
    advice(
      `observability.alerts.${kind}`,
      "alerts-without-secret",
      `${RECEIVER_SECRETS[kind]} is not set, and pulumi up refuses a receiver without it. Then: pulumi config set --secret ${NAMESPACE}:${RECEIVER_SECRETS[kind]} -s ${plan.environment}`,
    ),
  );
  if (!reachesPeople(receivers) || plan.stage !== "production") {
    return missing;
  }
  return [
    ...missing,
    ...(peopleGet(receivers, "warning")
      ? []
      : [
          advice(
            "observability.alerts",
            "warnings-to-nobody",
            `no receiver takes warning: those alerts are visible in Grafana and Alertmanager only. Add a receiver that takes them, or write severities: [critical, warning] for ${peopleOf(receivers).join(" or ")}`,
          ),
        ]),
    ...(receivers.heartbeat === undefined
      ? [
          advice(
            "observability.alerts.heartbeat",
            "no-heartbeat",
            "no service notices when the cluster, Prometheus or Alertmanager stops: no alert is sent then. Add heartbeat: {}, with the URL of a service that expects a request each minute in alertHeartbeatUrl",
          ),
        ]
      : []),
    ...(settings.runbookUrl === undefined
      ? [
          advice(
            "observability.runbookUrl",
            "relative-runbook-links",
            "links in alerts are docs/operations.md#…, which no receiver can open. Write the URL of that file in your repository",
          ),
        ]
      : []),
  ];
}

function advice(subject: string, rule: string, message: string): CapacityProblem {
  return { severity: "advisory", rule, subject, message };
}
