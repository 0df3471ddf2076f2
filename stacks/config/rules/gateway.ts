import type { Rule } from "./context";

export const productionHasATrustedCertificate: Rule = function* ({ sections: { stage, gateway } }) {
  if (stage === "production" && gateway?.tls.kind === "self-signed") {
    yield {
      path: ["gateway", "tls", "kind"],
      value: gateway.tls.kind,
      allowed: "acme or secret in production: clients must be able to verify the certificate",
      fix: "write tls: {kind: acme, email: …} or {kind: secret, secretName: …}; or stage: development for a trial",
    };
  }
};

export const consumersAreUnique: Rule = function* ({ sections: { gateway } }) {
  const consumers = gateway?.consumers ?? [];
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
