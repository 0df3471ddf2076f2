import { unreadOciSettings } from "../../../kubernetes/oci-load-balancer";
import { requestTimes } from "../../../planner/request-times";
import type { Rule } from "../core/rule";

export const productionHasATrustedCertificate: Rule = function* ({ sections: { stage, gateway } }) {
  if (stage === "production" && gateway?.tls.kind === "self-signed") {
    yield {
      path: ["gateway", "tls", "kind"],
      value: gateway.tls.kind,
      allowed: "acme, issuer or secret in production: clients must be able to verify the certificate",
      fix: "write tls: {kind: acme, email: …} or {kind: secret, secretName: …}; or stage: development for a trial",
    };
  }
};

export const consumersAreUnique: Rule = function* ({ sections: { gateway } }) {
  const consumers = Array.isArray(gateway?.consumers) ? gateway.consumers : [];
  for (const [index, consumer] of consumers.entries()) {
    if (consumers.indexOf(consumer) < index) {
      yield {
        path: ["gateway", "consumers", index],
        value: consumer,
        allowed: "each consumer once",
        fix: "remove it",
      };
    }
  }
};

/**
 * OCI ignores settings of the other kind of load balancer, even `internal: "true"`: the gateway
 * would be public.
 */
export const loadBalancerSettingsAreRead: Rule = function* ({ sections: { cluster, gateway } }) {
  if (cluster?.kind !== "oci" || gateway?.serviceAnnotations === undefined) {
    return;
  }
  for (const key of unreadOciSettings(gateway.serviceAnnotations)) {
    yield {
      path: ["gateway", "serviceAnnotations", key],
      value: gateway.serviceAnnotations[key],
      allowed: "settings of one kind of load balancer: the one that is made would not read this",
      fix: 'name the kind that you mean, oci.oraclecloud.com/load-balancer-type: "nlb" (settings oci-network-load-balancer.oraclecloud.com/…) or "lb" (settings service.beta.kubernetes.io/oci-load-balancer-…), and remove the other\'s',
    };
  }
};

export const drainsLastNoLongerThanRequests: Rule = function* ({ sections: { gateway } }) {
  const { requestTimeoutSeconds } = requestTimes(gateway ?? {});
  const { drainSeconds } = gateway ?? {};
  if (drainSeconds !== undefined && drainSeconds > requestTimeoutSeconds) {
    yield {
      path: ["gateway", "drainSeconds"],
      value: drainSeconds,
      allowed: `at most requestTimeoutSeconds, ${requestTimeoutSeconds}: no request runs for longer`,
      fix: `remove it, or raise requestTimeoutSeconds to ${drainSeconds}`,
    };
  }
};

export const streamsOutliveTheirPauses: Rule = function* ({ sections: { gateway } }) {
  const { requestTimeoutSeconds: total, streamIdleTimeoutSeconds: idle } = gateway ?? {};
  if (total !== undefined && idle !== undefined && idle > total) {
    yield {
      path: ["gateway", "streamIdleTimeoutSeconds"],
      value: idle,
      allowed: `at most requestTimeoutSeconds, ${total}`,
      fix: `lower it, or raise requestTimeoutSeconds to ${idle}`,
    };
  }
};

export const sessionHeadersAreRead: Rule = function* ({ sections: { gateway, models = {} } }) {
  const isRead = gateway?.affinity === "header" || Object.values(models).some(({ affinity }) => affinity === "header");
  if (gateway?.sessionHeader !== undefined && !isRead) {
    yield {
      path: ["gateway", "sessionHeader"],
      value: gateway.sessionHeader,
      allowed: "only where affinity is header, of the gateway or of a model: nothing else reads it",
      fix: "write affinity: header next to it or under a model, or remove sessionHeader",
    };
  }
};

export const issuersAreOfAnExistingCertManager: Rule = function* ({ sections: { gateway, cluster } }) {
  if (gateway?.tls.kind === "issuer" && cluster !== undefined && cluster.certManager !== "present") {
    yield {
      path: ["cluster", "certManager"],
      value: cluster.certManager,
      allowed:
        "present, with gateway.tls.kind: issuer: the ClusterIssuer is there before the platform, and so is its cert-manager",
      fix: "write certManager: present, or gateway.tls: {kind: acme, email: …}",
    };
  }
};
