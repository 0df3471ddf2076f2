/** A Service that something names as the other end of a connection. */
export interface NamedHost {
  readonly service: string;
  readonly namespace: string;
  /** Of the Service; undefined where it is named elsewhere. */
  readonly port: number | undefined;
}

/** `<pod>.<service>.<namespace>.svc`, with the rest of the cluster's domain and a port if any. */
const HOST =
  /(?:([a-z]+):\/\/)?(?:[a-z0-9-]+\.)*?([a-z0-9-]+)\.([a-z0-9-]+)\.svc(?:\.cluster\.local)?\b\.?(?::(\d+))?/g;
const PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 };

/**
 * Services of the cluster that are named anywhere in plain data: as URL, as host and port in one text, or as host beside a
 * number under `port`.
 */
export function namedHosts(value: unknown): NamedHost[] {
  if (typeof value === "string") {
    return [...value.matchAll(HOST)].map(([, scheme = "", service = "", namespace = "", port]) => ({
      service,
      namespace,
      port: port === undefined ? PORTS[scheme] : Number(port),
    }));
  }
  if (typeof value !== "object" || value === null) {
    return [];
  }
  const { port: beside } = value as { port?: unknown };
  return Object.values(value).flatMap((item) =>
    namedHosts(item).map((host) =>
      host.port === undefined && typeof item === "string" && typeof beside === "number"
        ? { ...host, port: beside }
        : host,
    ),
  );
}

/** A server outside of the cluster that a URL names. */
export interface OutsideServer {
  readonly host: string;
  readonly port: number;
}

const URL_OF_SERVER = /\b(https?):\/\/([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::(\d+))?/g;

/** Servers outside of the cluster that a text has URLs of. */
export function outsideServers(text: string): OutsideServer[] {
  return [...text.matchAll(URL_OF_SERVER)]
    .map(([, scheme = "", host = "", port]) => ({ host, port: Number(port ?? PORTS[scheme]) }))
    .filter(({ host }) => !/^127\.|\.svc(\.cluster\.local)?$/.test(host));
}
