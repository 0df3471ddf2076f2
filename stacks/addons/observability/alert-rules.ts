import { isIP } from "node:net";
import {
  type AlertReceivers,
  RECEIVER_KINDS,
  RECEIVER_SECRETS,
} from "../../../components/observability/alert-receivers";
import { cidrContains, hostCidr, isPrivateIpv4, isPrivateNetwork } from "../../../names/cidr";
import { outsideServer } from "../../../names/outside-server";
import { holdsToken } from "../../config/core/credentials";
import { networkProblems, privateNameProblems } from "../../config/core/outside-url";
import { HIDDEN, type Path } from "../../config/core/problems";
import type { Rule, RuleContext } from "../../config/core/rule";
import type { ObservabilityConfig } from "./config";
import { peopleGet, peopleOf, reachesPeople, receiversOf } from "./receivers";

type Own = { readonly observability?: ObservabilityConfig };

const ALERTS = ["observability", "alerts"] as const;

export const productionAlertsPeople: Rule<Own> = function* ({ sections: { stage, observability }, declared }) {
  if (stage !== "production" || observability === undefined || observability.alerts === "none") {
    return;
  }
  const receivers = receiversOf(observability.alerts, declared.secrets);
  if (reachesPeople(receivers)) {
    yield* criticalUncovered(receivers);
  } else {
    yield {
      path: ALERTS,
      value: observability.alerts,
      allowed: "in production: receivers, at least one of webhook, slack, pagerduty and email; or none",
      fix: 'write for example alerts: {email: {to: [on-call@example.com], from: alerts@example.com, smarthost: "smtp.example.com:587"}}; or alerts: none',
    };
  }
};

/** Critical alerts without a human receiver. */
function* criticalUncovered(receivers: AlertReceivers) {
  const people = peopleOf(receivers);
  const [first] = people;
  if (first !== undefined && !peopleGet(receivers, "critical")) {
    yield {
      path: [...ALERTS, first, "severities"],
      value: receivers[first]?.severities,
      allowed: `in production: critical with at least one receiver for people; ${people.join(" and ")} ${people.length === 1 ? "does" : "do"} not take it, and the alerts that wake someone would have no receiver`,
      fix: `write severities: [critical, warning] for ${first}, or add a receiver for critical, for example pagerduty: {}; or alerts: none`,
    };
  }
}

/** Every recipient sees links in alerts, which end with the alert's entry. */
export const runbookIsPlain: Rule<Own> = function* ({ sections: { observability } }) {
  const url = observability?.runbookUrl;
  if (url !== undefined && (holdsToken(url) || url.includes("#"))) {
    yield {
      path: ["observability", "runbookUrl"],
      value: HIDDEN,
      allowed: "a URL without a name, a password, ? and #: every alert contains it, and #<alert> is added to it",
      fix: "write for example https://git.example.com/platform/inference-stacks/blob/main/docs/operations.md, and treat what was before @ or after ? as leaked if it was a secret",
    };
  }
};

/** A mail server at a private address or name, which Alertmanager reaches by networks alone. */
export const mailServerIsReached: Rule<Own> = function* ({ sections: { observability }, declared }) {
  const { email } = receiversOf(observability?.alerts, declared.secrets);
  if (email === undefined || email.networks !== undefined) {
    return;
  }
  const [host = "", port] = email.smarthost.split(":");
  const path = [...ALERTS, "email"];
  yield* privateNameProblems(path, { host, port: Number(port) });
  if (isPrivateIpv4(host)) {
    yield {
      path: [...path, "networks"],
      value: undefined,
      allowed: `the network of ${host}: without it NetworkPolicies let Alertmanager reach no private address`,
      fix: `write networks: [${host}/32]`,
    };
  }
};

/** Proxies in own networks need networks; the file is committed. */
export const proxiesAreReached: Rule<Own> = function* ({ sections: { observability }, declared }) {
  const receivers = receiversOf(observability?.alerts, declared.secrets);
  for (const kind of RECEIVER_KINDS) {
    const settings = receivers[kind];
    if (settings === undefined || !("proxyUrl" in settings) || settings.proxyUrl === undefined) {
      continue;
    }
    const { proxyUrl, networks, port } = settings;
    if (port !== 443) {
      yield {
        path: [...ALERTS, kind, "port"],
        value: port,
        allowed: "no port with proxyUrl: NetworkPolicies open the proxy's, which its URL has",
        fix: "remove port, or remove proxyUrl",
      };
    }
    if (holdsToken(proxyUrl) || /[?#]/.test(proxyUrl)) {
      yield {
        path: [...ALERTS, kind, "proxyUrl"],
        value: HIDDEN,
        allowed: "the URL of a proxy without a name, a password, ? and #: this file is committed",
        fix: "write for example http://proxy.example.com:3128, and treat what was before @ as leaked; let the proxy know Alertmanager by its address",
      };
    }
    const host = outsideServer(proxyUrl)?.host ?? "";
    const isInside = !isIP(host) || (networks ?? []).some((network) => cidrContains(network, host));
    if (networks === undefined || !isInside) {
      yield {
        path: [...ALERTS, kind, "networks"],
        value: networks,
        allowed: "with proxyUrl: the networks of the proxy, which NetworkPolicies let Alertmanager reach alone",
        fix: `write for example networks: [${isIP(host) ? hostCidr(host) : "192.168.1.20/32"}]`,
      };
    }
  }
};

/** PagerDuty's URL is fixed, and policies open only the file's port. */
export const pagerdutyPortIsOpen: Rule<Own> = function* ({ sections: { observability }, declared }) {
  const port = receiversOf(observability?.alerts, declared.secrets).pagerduty?.port;
  if (port !== undefined && port !== 443) {
    yield {
      path: [...ALERTS, "pagerduty", "port"],
      value: port,
      allowed: "443, where its Events API listens",
      fix: "remove it",
    };
  }
};

/** Receivers whose networks contain no possible receiver. */
export const receiversAreOutside: Rule<Own> = function* ({ sections: { observability }, declared }) {
  const receivers = receiversOf(observability?.alerts, declared.secrets);
  for (const kind of RECEIVER_KINDS) {
    for (const problem of networkProblems([...ALERTS, kind], receivers[kind]?.networks ?? [])) {
      yield String(problem.value).includes("://") ? { ...problem, value: HIDDEN } : problem;
    }
  }
};

/** Without internet, receivers are in private networks. */
export const bundledReceiversArePrivate: Rule<Own> = function* (context) {
  const { cluster } = context.sections;
  if (cluster?.kind === "edge" && cluster.k3s?.bundle !== undefined) {
    yield* receiversOnline(context);
  }
};

/** Receivers that need the internet. */
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
        fix: `add its addresses: observability.alerts.${kind}.networks: ["192.168.1.20/32"]${kind === "email" ? "" : ", and its port"}; or remove the receiver`,
      };
    }
  }
}
