/** External servers in the configuration, and their keys. */
import { outsideServer } from "../../../names/outside-server";
import { limitsOf } from "../../../planner/tenants";
import { type OutsideSettings, outsideProblems } from "../core/outside-url";
import { HIDDEN, list, type Path, type ProblemDraft, suggest } from "../core/problems";
import type { Rule, RuleContext } from "../core/rule";
import { NAMESPACE } from "../core/schema";
import { bucketBackend } from "../core/store-backend";
import { API_KEY_NAME } from "../secrets";
import { sourceRegistry } from "../source-registry";

interface NamedServer {
  readonly path: Path;
  readonly settings: OutsideSettings & {
    readonly secretKey?: string | undefined;
    readonly caFile?: string | undefined;
  };
}

/** Those that are called with keys: models behind URLs, registrars of server groups, buckets and registries elsewhere. */
function namedServers({ externalModels = {}, nodes = {}, storage }: RuleContext["sections"]): NamedServer[] {
  return [
    ...Object.entries(externalModels).map(([name, { external }]) => ({
      path: ["models", name, "external"],
      settings: external,
    })),
    ...Object.entries(nodes).flatMap(([group, { registrar }]) =>
      registrar ? [{ path: ["nodes", group, "registrar"], settings: registrar }] : [],
    ),
    ...Object.entries(storage?.buckets ?? {}).map(([bucket, settings]) => ({
      path: ["storage", "buckets", bucket],
      settings,
    })),
    ...Object.entries(storage?.registries ?? {}).map(([host, settings]) => ({
      path: ["storage", "registries", host],
      settings: { url: `https://${host}`, ...settings },
    })),
  ];
}

/** Registries that sources of models name, and that the configuration says nothing else of. */
function sourceRegistries({ models = {}, storage }: RuleContext["sections"]): NamedServer[] {
  return Object.entries(models).flatMap(([name, model]) => {
    const host = sourceRegistry(model);
    return host !== undefined && !Object.hasOwn(storage?.registries ?? {}, host)
      ? [{ path: ["models", name, "source"], settings: { url: `https://${host}` } }]
      : [];
  });
}

/** A registry has no URL of its own: what is wrong with its address is wrong with its name. */
function withoutUrl({ path, value, ...problem }: ProblemDraft): ProblemDraft {
  const isUrl = path.at(-1) === "url";
  return { ...problem, path: isUrl ? path.slice(0, -1) : path, value: isUrl ? registryIn(value) : value };
}

function registryIn(url: unknown): unknown {
  return typeof url === "string" ? url.replace(/^https:\/\//, "") : url;
}

/** Where a secret is named. */
interface NamedKey {
  readonly path: Path;
  readonly secretKey: string;
}

/** Keys of those, and of the store's bucket. */
function sentKeys(sections: RuleContext["sections"]): NamedKey[] {
  const { reader, writer } = (sections.storage && bucketBackend(sections.storage)) ?? {};
  return [
    ...namedServers(sections).flatMap(({ path, settings: { secretKey } }) =>
      secretKey === undefined ? [] : [{ path: [...path, "secretKey"], secretKey }],
    ),
    ...Object.entries({ reader, writer }).flatMap(([user, keys]) =>
      Object.entries(keys ?? {}).map(([key, secretKey]) => ({ path: ["storage", "backend", user, key], secretKey })),
    ),
  ];
}

/** Of consumers of the gateway that have a key already. */
function callersWithKeys({ gateway }: RuleContext["sections"]): NamedKey[] {
  return Object.entries(limitsOf(gateway?.consumers ?? [])).flatMap(([name, { secretKey }]) =>
    secretKey === undefined ? [] : [{ path: ["gateway", "consumers", name, "secretKey"], secretKey }],
  );
}

export const urlsAreServersOfOthers: Rule = function* ({ sections }) {
  for (const { path, settings } of [...namedServers(sections), ...sourceRegistries(sections)]) {
    const problems = [...outsideProblems(path, settings, sections.stage)];
    yield* path.includes("registries") || path.at(-1) === "source" ? problems.map(withoutUrl) : problems;
  }
  const { hub } = sections.storage ?? {};
  if (hub !== undefined) {
    yield* outsideProblems(["storage", "hub"], hub, sections.stage);
  }
};

export const keysAreSecrets: Rule = function* ({ sections, declared }) {
  for (const { path, secretKey } of [...sentKeys(sections), ...callersWithKeys(sections)]) {
    if (!API_KEY_NAME.test(secretKey)) {
      yield {
        path,
        value: HIDDEN,
        allowed: "the name of a secret, letters and digits with ApiKey at the end; never the key itself",
        fix: `run pulumi config set --secret ${NAMESPACE}:exampleApiKey and write ${path.at(-1)}: exampleApiKey; if the value that was here is a key, it is leaked`,
      };
    } else if (!declared.secrets.includes(secretKey)) {
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

/** An unused key is misspelt or superfluous. */
export const apiKeysAreRead: Rule = function* ({ sections, declared }) {
  if (sections.externalModels === undefined || sections.nodes === undefined || sections.storage === undefined) {
    return;
  }
  const read = [...sentKeys(sections), ...callersWithKeys(sections)].map(({ secretKey }) => secretKey);
  for (const key of declared.secrets) {
    if (API_KEY_NAME.test(key) && !read.includes(key)) {
      yield {
        path: [key],
        value: HIDDEN,
        allowed: `a secret that a model names as external.secretKey, a server group as registrar.secretKey, a bucket of storage.buckets, a registry of storage.registries, storage.backend or a consumer as secretKey: ${list(read)}`,
        fix: `name it there, or run pulumi config rm ${NAMESPACE}:${key}`,
        causes: [["models"], ["nodes"], ["storage"], ["gateway", "consumers"]],
      };
    }
  }
};

/** The gateway identifies callers by keys, which must not be sent to others. */
export const callersHaveKeysOfTheirOwn: Rule = function* ({ sections }) {
  const owners = new Map(sentKeys(sections).map(({ path, secretKey }) => [secretKey, path.slice(0, -1).join(".")]));
  for (const { path, secretKey } of callersWithKeys(sections)) {
    const owner = owners.get(secretKey);
    if (owner !== undefined) {
      yield {
        path,
        value: secretKey,
        allowed: `a secret of its own: ${owner} names it`,
        fix: "set another one, whose value is another key",
      };
    }
    owners.set(secretKey, path.slice(0, -1).join("."));
  }
};

export const certificatesAreForTls: Rule = function* ({ sections }) {
  for (const { path, settings } of namedServers(sections)) {
    if (settings.caFile !== undefined && outsideServer(settings.url)?.tls === false) {
      yield {
        path: [...path, "caFile"],
        value: settings.caFile,
        allowed: "only with an https:// URL",
        fix: `write https:// in ${path.at(-1)}.url, or remove caFile`,
      };
    }
  }
};
