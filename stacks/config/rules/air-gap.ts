/** Internet use at run time, which sites without internet cannot have even with a bundle. */
import { engineNames, engineOf } from "../../../engines";
import { SOURCES } from "../../../engines/sources";
import { isPrivateNetwork } from "../../../names/cidr";
import { addressNetwork, outsideServer } from "../../../names/outside-server";
import type { OutsideSettings } from "../core/outside-url";
import type { Path, ProblemDraft } from "../core/problems";
import type { Rule, RuleContext } from "../core/rule";
import { sourceRegistry } from "../source-registry";

/** Rules of alert receivers are the add-on's. */
export { receiversOnline } from "../../addons/observability/alert-rules";

/** Sections and secret names. */
export type RunTimeContext = Pick<RuleContext, "sections"> & {
  readonly declared: Pick<RuleContext["declared"], "secrets">;
};

/** A complete bundle forbids later internet use. */
export const bundledPlatformsStayOffline: Rule = function* (context) {
  const { cluster } = context.sections;
  if (cluster?.kind === "edge" && cluster.k3s?.bundle !== undefined) {
    yield* internetAtRunTime(context);
  }
};

/** Every internet use after installation. */
export function* internetAtRunTime({ sections, declared }: RunTimeContext): Generator<ProblemDraft> {
  yield* enginesThatDownload(sections);
  yield* serversOutside(sections);
  const { tls, auth } = sections.gateway ?? {};
  if (tls?.kind === "acme" && tls.server === undefined) {
    yield {
      path: ["gateway", "tls", "kind"],
      value: "acme",
      allowed: "without internet: secret, self-signed in development, or acme with a server of your own network",
      fix: "set it to secret and name a certificate of your own authority in secretName, or name your authority's directory in server",
    };
  }
  if (auth?.oidc !== undefined && auth.oidc.networks === undefined) {
    yield {
      path: ["gateway", "auth", "oidc", "networks"],
      value: undefined,
      allowed: "without internet: the networks of an issuer of your own network",
      fix: `add the addresses that ${auth.oidc.issuer} has there, such as ["192.168.1.20/32"]`,
    };
  }
  if (declared.secrets.includes("beta9PostgresPassword")) {
    yield {
      path: ["beta9"],
      value: "a section",
      allowed: "nothing without internet: Beta9 pulls base images and packages for what its users build",
      fix: "remove the section beta9 and its secrets",
    };
  }
}

/** Engines that fetch models themselves bypass the bundle's model store. */
function* enginesThatDownload({ models = {} }: RuleContext["sections"]): Generator<ProblemDraft> {
  const stored = engineNames.filter((each) => engineOf(each).sources.some((kind) => SOURCES[kind].throughStore));
  for (const [name, { engine }] of Object.entries(models)) {
    const { sources } = engineOf(engine);
    if (sources.every((kind) => !SOURCES[kind].throughStore)) {
      const places = sources.map((kind) => SOURCES[kind].label).join(" and ");
      yield {
        path: ["models", name, "engine"],
        value: engine,
        allowed: `without internet: ${stored.join(", ")}, whose models come through the model store`,
        fix: `set another engine: ${engine} downloads from ${places} by itself, and a bundle cannot answer it`,
      };
    }
  }
}

/** Registries that models are copied from. */
function registriesOf({ models = {}, storage }: RuleContext["sections"]): [Path, OutsideSettings][] {
  const hosts = Object.values(models).flatMap((model) => sourceRegistry(model) ?? []);
  return [...new Set(hosts)].map((host) => [
    ["storage", "registries", host],
    { url: `https://${host}`, networks: storage?.registries[host]?.networks },
  ]);
}

/** Servers of others by URL. One in networks that are not the internet stays. */
function* serversOutside(sections: RuleContext["sections"]): Generator<ProblemDraft> {
  const { externalModels = {}, nodes = {}, storage } = sections;
  const servers: [Path, OutsideSettings][] = [
    ...Object.entries(externalModels).map(([name, { external }]): [Path, typeof external] => [
      ["models", name, "external"],
      external,
    ]),
    ...Object.entries(nodes).flatMap(([group, { registrar }]): [Path, NonNullable<typeof registrar>][] =>
      registrar ? [[["nodes", group, "registrar"], registrar]] : [],
    ),
    ...Object.entries(storage?.buckets ?? {}).map(([bucket, settings]): [Path, typeof settings] => [
      ["storage", "buckets", bucket],
      settings,
    ]),
    ...registriesOf(sections),
  ];
  for (const [path, { url, networks }] of servers) {
    const server = outsideServer(url);
    const known = networks ?? (server && [addressNetwork(server)].flatMap((network) => network ?? []));
    if (known === undefined || known.length === 0 || !known.every(isPrivateNetwork)) {
      yield {
        path: [...path, "networks"],
        value: networks,
        allowed: "without internet: private networks, in which this server is",
        fix: `add the addresses that ${server?.host ?? url} has in your own network, such as ["192.168.1.20/32"], or remove it`,
      };
    }
  }
}
