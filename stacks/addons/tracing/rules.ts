import { outsideProblems } from "../../config/core/outside-url";
import type { Rule } from "../../config/core/rule";
import { NAMESPACE } from "../../config/core/schema";
import type { TracingConfig } from "./config";

type Own = { readonly tracing?: TracingConfig };

export const endpointIsOutside: Rule<Own> = function* ({ sections: { tracing, stage } }) {
  if (tracing?.endpoint !== undefined) {
    yield* outsideProblems(["tracing", "endpoint"], tracing.endpoint, stage);
  }
};

export const tokenHasAnEndpoint: Rule<Own> = function* ({ sections: { tracing }, declared }) {
  if (tracing !== undefined && tracing.endpoint === undefined && declared.secrets.includes("tracingToken")) {
    yield {
      path: ["tracing", "endpoint"],
      value: undefined,
      allowed: "a server, because the secret tracingToken is set",
      fix: `add endpoint: {url: …}, or run pulumi config rm ${NAMESPACE}:tracingToken`,
    };
  }
};
