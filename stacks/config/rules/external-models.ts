/** Models behind URLs of others: which servers those may be, and where their keys are. */
import { outsideServer } from "../../../names/outside-server";
import { outsideProblems } from "../core/outside-url";
import { HIDDEN, list, suggest } from "../core/problems";
import type { Rule } from "../core/rule";
import { NAMESPACE } from "../core/schema";
import { API_KEY_NAME } from "../secrets";

export const externalUrlsAreServersOfOthers: Rule = function* ({ sections: { externalModels = {}, stage } }) {
  for (const [name, { external }] of Object.entries(externalModels)) {
    yield* outsideProblems(["models", name, "external"], external, stage);
  }
};

export const externalKeysAreSecrets: Rule = function* ({ sections: { externalModels = {} }, declared }) {
  for (const [name, { external }] of Object.entries(externalModels)) {
    const { secretKey } = external;
    const path = ["models", name, "external", "secretKey"];
    if (secretKey !== undefined && !API_KEY_NAME.test(secretKey)) {
      yield {
        path,
        value: HIDDEN,
        allowed: "the name of a secret, letters and digits with ApiKey at the end; never the key itself",
        fix: `run pulumi config set --secret ${NAMESPACE}:exampleApiKey and write secretKey: exampleApiKey; what stood here is leaked if it was a key`,
      };
    } else if (secretKey !== undefined && !declared.secrets.includes(secretKey)) {
      const known = declared.secrets.filter((secret) => API_KEY_NAME.test(secret));
      yield {
        path,
        value: secretKey,
        allowed: `the name of a secret that is set: ${list(known)}`,
        fix: suggest(secretKey, known, `run pulumi config set --secret ${NAMESPACE}:${secretKey}`),
      };
    }
  }
};

/** A key that nobody sends is a slip in its name, or a credential too many. */
export const apiKeysAreRead: Rule = function* ({ sections: { externalModels }, declared }) {
  if (externalModels === undefined) {
    return;
  }
  const read = Object.values(externalModels).flatMap(({ external }) => external.secretKey ?? []);
  for (const key of declared.secrets) {
    if (API_KEY_NAME.test(key) && !read.includes(key)) {
      yield {
        path: [key],
        value: HIDDEN,
        allowed: `a secret that a model names as external.secretKey: ${list(read)}`,
        fix: `name it there, or run pulumi config rm ${NAMESPACE}:${key}`,
      };
    }
  }
};

export const certificatesAreForTls: Rule = function* ({ sections: { externalModels = {} } }) {
  for (const [name, { external }] of Object.entries(externalModels)) {
    if (external.caFile !== undefined && outsideServer(external.url)?.tls === false) {
      yield {
        path: ["models", name, "external", "caFile"],
        value: external.caFile,
        allowed: "only with an https:// URL",
        fix: "write https:// in external.url, or remove caFile",
      };
    }
  }
};
