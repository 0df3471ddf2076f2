import { RECEIVER_KINDS, RECEIVER_SECRETS } from "../../../components/observability/alert-receivers";
import { isPrivateNetwork } from "../../../names/cidr";
import { networkProblems } from "../../config/core/outside-url";
import { HIDDEN, type Path } from "../../config/core/problems";
import type { Rule, RuleContext } from "../../config/core/rule";
import type { ObservabilityConfig } from "./config";
import { reachesPeople, receiversOf } from "./receivers";

type Own = { readonly observability?: ObservabilityConfig };

const ALERTS = ["observability", "alerts"] as const;

export const productionAlertsPeople: Rule<Own> = function* ({ sections: { stage, observability }, declared }) {
  if (stage !== "production" || observability === undefined || observability.alerts === "none") {
    return;
  }
  if (!reachesPeople(receiversOf(observability.alerts, declared.secrets))) {
    yield {
      path: ALERTS,
      value: observability.alerts,
      allowed: "in production: receivers, at least one of webhook, slack, pagerduty and email; or none",
      fix: 'write for example alerts: {email: {to: [on-call@example.com], from: alerts@example.com, smarthost: "smtp.example.com:587"}}; or alerts: none',
    };
  }
};

/** Receivers whose networks hold what no receiver is. */
export const receiversAreOutside: Rule<Own> = function* ({ sections: { observability }, declared }) {
  const receivers = receiversOf(observability?.alerts, declared.secrets);
  for (const kind of RECEIVER_KINDS) {
    yield* networkProblems([...ALERTS, kind], receivers[kind]?.networks ?? []);
  }
};

/** Without internet, receivers are in private networks. */
export const bundledReceiversArePrivate: Rule<Own> = function* (context) {
  const { cluster } = context.sections;
  if (cluster?.kind === "edge" && cluster.k3s?.bundle !== undefined) {
    yield* receiversOnline(context);
  }
};

/** Receivers that only the internet leads to. */
export function* receiversOnline({
  sections: { observability },
  declared,
}: {
  readonly sections: Pick<RuleContext<Own>["sections"], "observability">;
  readonly declared: Pick<RuleContext["declared"], "secrets">;
}) {
  const receivers = receiversOf(observability?.alerts, declared.secrets);
  for (const kind of RECEIVER_KINDS.filter((each) => receivers[each] !== undefined)) {
    const networks = receivers[kind]?.networks;
    if (networks === undefined || !networks.every(isPrivateNetwork)) {
      const isOldForm = observability?.alerts === undefined;
      const path: Path = isOldForm ? [RECEIVER_SECRETS[kind]] : [...ALERTS, kind, "networks"];
      yield {
        path,
        value: isOldForm ? HIDDEN : networks,
        allowed: "without internet: the private networks of a receiver of your own network",
        fix: `add its addresses: observability.alerts.${kind}.networks: ["192.168.1.20/32"], and its port; or remove the receiver`,
      };
    }
  }
}
