import {
  type AlertReceiverKind,
  type AlertReceivers,
  type AlertSecretKey,
  RECEIVER_SECRETS,
} from "../components/observability/alert-receivers";
import { cidrContains, hostCidr, isPrivateNetwork } from "../names/cidr";
import { type OutsideServer, outsideServer } from "../names/outside-server";
import { isPrivateName } from "../names/private-name";
import { receiversOf } from "./addons/observability/receivers";
import { ConfigError, type EnvironmentConfig } from "./config";
import { HIDDEN, type Path, type ProblemDraft, toProblem } from "./config/core/problems";

type UrlKind = Exclude<AlertReceiverKind, "pagerduty" | "email">;
const URL_KINDS = ["webhook", "slack", "heartbeat"] as const satisfies readonly UrlKind[];

interface Addressed {
  readonly kind: UrlKind;
  readonly settings: NonNullable<AlertReceivers[UrlKind]>;
  readonly server: OutsideServer;
  readonly stage: EnvironmentConfig["stage"];
}

/**
 * In real deployments only, where URLs are known.
 *
 * @param texts of set secrets, by key.
 * @throws ConfigError for a URL that Alertmanager could not reach, or would expose on the network.
 * Never shows URLs.
 */
export function assertReceiversAreReached(
  { stage, observability }: Pick<EnvironmentConfig, "stage" | "observability">,
  texts: Readonly<Partial<Record<AlertSecretKey, string>>>,
): void {
  const receivers = receiversOf(observability.alerts, Object.keys(texts));
  const problems = URL_KINDS.flatMap((kind): ProblemDraft[] => {
    const settings = receivers[kind];
    const server = outsideServer(texts[RECEIVER_SECRETS[kind]] ?? "");
    if (settings === undefined || server === undefined) {
      return [];
    }
    const addressed = { kind, settings, server, stage };
    // A proxy decides what is behind it.
    const direct = settings.proxyUrl === undefined ? [...portProblems(addressed), ...addressProblems(addressed)] : [];
    return [...direct, ...plainProblems(addressed)];
  });
  if (problems.length > 0) {
    throw new ConfigError(problems.map((problem) => toProblem(problem)));
  }
}

function portProblems({ kind, settings, server }: Addressed): ProblemDraft[] {
  return settings.port === server.port
    ? []
    : [
        {
          path: at(kind, "port"),
          value: settings.port,
          allowed: `${server.port}, the port in ${RECEIVER_SECRETS[kind]}: NetworkPolicies let Alertmanager reach the port of this file alone`,
          fix: `write observability.alerts.${kind}.port: ${server.port}, or put port ${settings.port} in the URL`,
        },
      ];
}

/** Private addresses and names are reached by `networks` alone, and where there are networks, no address outside of them. */
function addressProblems({ kind, settings: { networks }, server: { host, family } }: Addressed): ProblemDraft[] {
  const isReached =
    family === undefined
      ? networks !== undefined || !isPrivateName(host)
      : (networks?.some((network) => cidrContains(network, host)) ?? !isPrivateNetwork(hostCidr(host)));
  return isReached
    ? []
    : [
        {
          path: at(kind, "networks"),
          value: networks,
          allowed: `networks with the address in ${RECEIVER_SECRETS[kind]}: NetworkPolicies let Alertmanager reach no other, and by default no private one`,
          fix: `write that address, for example observability.alerts.${kind}.networks: [192.168.1.20/32]`,
        },
      ];
}

function plainProblems({
  kind,
  settings: { networks, proxyUrl },
  server: { host, family, tls },
  stage,
}: Addressed): ProblemDraft[] {
  const own = proxyUrl === undefined ? networks : undefined;
  const isPrivate = own?.every(isPrivateNetwork) ?? (family !== undefined && isPrivateNetwork(hostCidr(host)));
  return tls || isPrivate || stage !== "production"
    ? []
    : [
        {
          path: [RECEIVER_SECRETS[kind]],
          value: HIDDEN,
          allowed:
            "in production: https://, or http:// in private networks: the URL and the alerts would cross the internet in the clear",
          fix: `set a URL with https://, or write observability.alerts.${kind}.networks with the receiver's private addresses`,
        },
      ];
}

function at(kind: UrlKind, key: string): Path {
  return ["observability", "alerts", kind, key];
}
